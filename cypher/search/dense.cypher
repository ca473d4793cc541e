// The nearest facts of one world for each view, by cosine; filtered inside the index, ties by id. The first view goes deeper.
// params: $world, $vectors (one a view), $first_k, $first_fetch, $k (kept), $fetch (candidates asked of the index)
// shape: dimension
// returns: view (position), fact_ids (nearest first), scores (cosine, -1 to 1)
// source: PACE, section on hybrid retrieval
CYPHER 25
UNWIND range(0, size($vectors) - 1) AS view
CALL (view) {
  FILTER view = 0
  MATCH (f:Vector384/*dimension*/)
  SEARCH f IN (VECTOR INDEX fact_vectors_384/*dimension*/ FOR $vectors[view] WHERE f.world = $world LIMIT $first_fetch) SCORE AS nearness
  RETURN f.fact_id AS fact_id, 2 * nearness - 1 AS score
  ORDER BY score DESC, fact_id
  LIMIT $first_k
UNION ALL
  FILTER view > 0
  MATCH (f:Vector384/*dimension*/)
  SEARCH f IN (VECTOR INDEX fact_vectors_384/*dimension*/ FOR $vectors[view] WHERE f.world = $world LIMIT $fetch) SCORE AS nearness
  RETURN f.fact_id AS fact_id, 2 * nearness - 1 AS score
  ORDER BY score DESC, fact_id
  LIMIT $k
}
RETURN view, collect(fact_id) AS fact_ids, collect(score) AS scores
ORDER BY view
