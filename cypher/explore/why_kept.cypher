// Why was this evidence found? The path of one trace: from the request to its seeds, over the hops, to what was kept.
// params: $trace_id
// returns: paths to draw: trace to seed, the similar facts between, trace to kept fact
// example: :param trace_id => '0123456789abcdef'   (ids: MATCH (t:Trace) RETURN t.trace_id, t.text ORDER BY t.asked DESC)
CYPHER 25
MATCH (t:Trace {trace_id: $trace_id})
MATCH kept = (t)-[k:KEPT]->(f:Fact {world: t.world})
CALL (t, k) {
  MATCH seed = (t)-[:SEED]->(:Fact {world: t.world, fact_id: k.path[0]})
  RETURN collect(seed) AS seeds
}
CALL (t, k) {
  UNWIND range(0, size(k.path) - 2) AS i
  MATCH step = (:Fact {world: t.world, fact_id: k.path[i]})-[:SIMILAR_TO]-(:Fact {world: t.world, fact_id: k.path[i + 1]})
  RETURN collect(step) AS steps
}
RETURN kept, seeds, steps
ORDER BY k.rank
