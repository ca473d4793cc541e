// The nearest facts of one world for each view, by looking at every fact: what `dense` must agree with.
// params: $world, $vectors (one a view), $k (kept)
// returns: view (position), fact_ids (nearest first), scores (cosine, -1 to 1)
CYPHER 25
UNWIND range(0, size($vectors) - 1) AS view
CALL (view) {
  MATCH (f:Fact {world: $world})
  RETURN f.fact_id AS fact_id, 2 * vector.similarity.cosine(f.embedding, $vectors[view]) - 1 AS score
  ORDER BY score DESC, fact_id
  LIMIT $k
}
RETURN view, collect(fact_id) AS fact_ids, collect(score) AS scores
ORDER BY view
