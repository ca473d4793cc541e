// Takes the vectors off some facts of a world, before another model gives them new ones.
// params: $world, $token, $limit
// shape: dimension
// returns: stripped; no row when another load holds the world
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) {
  MATCH (f:Vector384/*dimension*/ {world: $world})-[:IN_WORLD]->(w)
  WITH f LIMIT $limit
  REMOVE f:Vector384/*dimension*/
  REMOVE f.embedding
  RETURN count(f) AS stripped
}
RETURN stripped
