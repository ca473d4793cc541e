// The evidence path of the newest trace of a world, or of all worlds when none is named.
// params: $world (or null)
// returns: trace_id, world, run, system, query_id, text, ref_date, asked, views, verdict, answer, seeds, reached, kept, gold
MATCH (t:Trace)
WHERE $world IS NULL OR t.world = $world
WITH t ORDER BY t.asked DESC, t.trace_id DESC LIMIT 1
CALL (t) {
  OPTIONAL MATCH (t)-[s:SEED]->(f:Fact {world: t.world})
  WITH s, f ORDER BY s.rank
  RETURN [row IN collect({fact_id: f.fact_id, text: f.text, rank: s.rank, score: s.score, legs: s.legs}) WHERE row.fact_id IS NOT NULL] AS seeds
}
CALL (t) {
  OPTIONAL MATCH (t)-[r:REACHED]->(f:Fact {world: t.world})
  WITH r, f ORDER BY r.hop, r.position
  RETURN [row IN collect({fact_id: f.fact_id, text: f.text, hop: r.hop, parent: r.parent}) WHERE row.fact_id IS NOT NULL] AS reached
}
CALL (t) {
  OPTIONAL MATCH (t)-[k:KEPT]->(f:Fact {world: t.world})
  WITH k, f ORDER BY k.rank
  RETURN [row IN collect({fact_id: f.fact_id, text: f.text, rank: k.rank, score: k.score, path: k.path}) WHERE row.fact_id IS NOT NULL] AS kept
}
CALL (t) {
  OPTIONAL MATCH (q:Query {world: t.world, query_id: t.query_id})-[:GOLD]->(f:Fact {world: t.world})
  WITH f ORDER BY f.fact_id
  RETURN [row IN collect({fact_id: f.fact_id, text: f.text}) WHERE row.fact_id IS NOT NULL] AS gold
}
RETURN t.trace_id AS trace_id, t.world AS world, t.run AS run, t.system AS system, t.query_id AS query_id, t.text AS text,
       toString(t.ref_date) AS ref_date, toString(t.asked) AS asked, t.views AS views, t.verdict AS verdict, t.answer AS answer,
       seeds, reached, kept, gold
