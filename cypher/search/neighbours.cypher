// The neighbours of some facts in the k-NN graph, nearest first: along the edges as stored, along both directions, or only where both facts chose each other.
// params: $world, $facts (fact ids), $edges (directed, symmetric, mutual)
// returns: fact_id, neighbours (fact ids, nearest first, ties by id)
// source: PACE, section on multi-hop traversal; reading A9 of our specification
CYPHER 25
UNWIND $facts AS fact_id
MATCH (f:Fact {world: $world, fact_id: fact_id})
CALL (f) {
  MATCH (f)-[r:SIMILAR_TO]-(n:Fact {world: $world})
  WHERE $edges = 'symmetric'
     OR (startNode(r) = f AND ($edges = 'directed' OR EXISTS { (n)-[:SIMILAR_TO]->(f) }))
  WITH n.fact_id AS neighbour, max(r.score) AS score, min(r.rank) AS rank
  ORDER BY CASE WHEN $edges = 'symmetric' THEN 0 ELSE rank END, score DESC, neighbour
  RETURN collect(neighbour) AS neighbours
}
RETURN fact_id, neighbours
