// Sets rank and score of SIMILAR_TO edges that stay between the same facts.
// params: $world, $token, $rows (source id, target id, rank, score)
// returns: relinked; no row when another load holds the world
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) {
  UNWIND $rows AS row
  MATCH (a:Fact {world: $world, fact_id: row[0]})-[r:SIMILAR_TO]->(b:Fact {world: $world, fact_id: row[1]})
  SET r.rank = row[2], r.score = row[3]
  RETURN count(r) AS relinked
}
RETURN relinked
