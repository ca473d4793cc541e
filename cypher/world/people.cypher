// The people of a world with what the profile says of them.
// params: $world
// returns: name, role, relation, attributes (group, name, value)
MATCH (p:Person {world: $world})
CALL (p) {
  OPTIONAL MATCH (p)-[:HAS]->(a:Attribute {world: $world})
  WITH a ORDER BY a.group, a.name, a.value
  RETURN collect({group: a.group, name: a.name, value: a.value}) AS attributes
}
RETURN p.name AS name, p.role AS role, p.relation AS relation, attributes
ORDER BY role DESC, name
