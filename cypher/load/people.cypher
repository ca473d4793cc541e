// Writes the people of a world and what the profile says of them, in place of what was there.
// params: $world, $token, $people (name, role, relation, attributes: group, name, value)
// returns: people; no row when another load holds the world
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) {
  MATCH (old:Person|Attribute {world: $world})
  DETACH DELETE old
  RETURN count(*) AS gone
}
CALL (w) {
  UNWIND $people AS row
  CREATE (p:Person {world: $world, name: row.name, role: row.role, relation: row.relation})-[:LIVES_IN]->(w)
  FOREACH (a IN row.attributes |
    CREATE (p)-[:HAS]->(:Attribute {world: $world, group: a.group, name: a.name, value: a.value}))
  WITH collect(p) AS people
  WITH people, head([p IN people WHERE p.role = 'ego']) AS ego
  FOREACH (alter IN [p IN people WHERE p.role = 'alter' AND ego IS NOT NULL] |
    CREATE (ego)-[:KNOWS {relation: alter.relation}]->(alter))
  RETURN size(people) AS written
}
RETURN written AS people
