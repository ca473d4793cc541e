// Writes SIMILAR_TO edges; the ends are positions in the order of fact ids, so that no key is looked up per edge.
// params: $world, $token, $rows (source position, target position, rank, score)
// returns: linked; no row when another load holds the world
// source: PACE, section on indexing: k-NN document graph
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) {
  MATCH (f:Fact {world: $world})
  WITH f ORDER BY f.fact_id
  WITH collect(f) AS facts
  UNWIND $rows AS row
  WITH facts[row[0]] AS a, facts[row[1]] AS b, row[2] AS rank, row[3] AS score
  CREATE (a)-[:SIMILAR_TO {rank: rank, score: score}]->(b)
  RETURN count(*) AS linked
}
RETURN linked
