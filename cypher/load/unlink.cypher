// Removes SIMILAR_TO edges that a change has made untrue.
// params: $world, $token, $rows (source id, target id)
// returns: unlinked; no row when another load holds the world
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) {
  UNWIND $rows AS row
  MATCH (a:Fact {world: $world, fact_id: row[0]})-[r:SIMILAR_TO]->(b:Fact {world: $world, fact_id: row[1]})
  DELETE r
  RETURN count(*) AS unlinked
}
RETURN unlinked
