// Removes facts, with every edge they have.
// params: $world, $token, $fact_ids
// returns: removed; no row when another load holds the world
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) {
  UNWIND $fact_ids AS fact_id
  MATCH (f:Fact {world: $world, fact_id: fact_id})
  DETACH DELETE f
  RETURN count(*) AS removed
}
RETURN removed
