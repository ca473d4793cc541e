// Who lives in this world? The person, the people around, and what the profile says of them.
// params: $world
// returns: paths to draw: people, what they are to each other, their attributes
// example: :param world => 'mara_quill'
MATCH home = (p:Person {world: $world})-[:LIVES_IN]->(:World {world: $world})
OPTIONAL MATCH known = (p)-[:KNOWS]->(:Person {world: $world})
OPTIONAL MATCH has = (p)-[:HAS]->(:Attribute {world: $world})
RETURN home, known, has
