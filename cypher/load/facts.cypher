// Writes facts with their vectors; a fact that is there already is changed.
// params: $world, $token, $rows (fact_id, text, date, day, at, days, embedding)
// shape: dimension
// returns: written; no row when another load holds the world
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) {
  UNWIND $rows AS row
  MERGE (f:Fact {world: $world, fact_id: row.fact_id})
  SET f:Vector384/*dimension*/, f.text = row.text, f.date = row.date, f.day = row.day, f.at = row.at, f.days = row.days
  MERGE (f)-[:IN_WORLD]->(w)
  WITH f, row
  CALL db.create.setNodeVectorProperty(f, 'embedding', row.embedding)
  RETURN count(f) AS written
}
RETURN written
