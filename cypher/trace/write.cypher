// Keeps the evidence path of one retrieval: what was asked, with which views, and what every fact of the path was.
// params: $world, $trace_id, $run, $system, $query_id, $text, $ref_date, $views, $verdict, $answer, $config, $seeds (fact_id, rank, score, legs), $reached (fact_id, hop, parent, position), $kept (fact_id, rank, score, path)
// returns: trace_id
MATCH (w:World {world: $world, status: 'ready'})
CREATE (t:Trace {trace_id: $trace_id, world: $world, run: $run, system: $system, query_id: $query_id, text: $text,
                 ref_date: $ref_date, views: $views, verdict: $verdict, answer: $answer, config: $config, asked: datetime()})
CREATE (t)-[:TRACED_IN]->(w)
WITH t
CALL (t) {
  UNWIND $seeds AS row
  MATCH (f:Fact {world: $world, fact_id: row.fact_id})
  CREATE (t)-[:SEED {rank: row.rank, score: row.score, legs: row.legs}]->(f)
  RETURN count(*) AS seeds
}
CALL (t) {
  UNWIND $reached AS row
  MATCH (f:Fact {world: $world, fact_id: row.fact_id})
  CREATE (t)-[:REACHED {hop: row.hop, parent: row.parent, position: row.position}]->(f)
  RETURN count(*) AS reached
}
CALL (t) {
  UNWIND $kept AS row
  MATCH (f:Fact {world: $world, fact_id: row.fact_id})
  CREATE (t)-[:KEPT {rank: row.rank, score: row.score, path: row.path}]->(f)
  RETURN count(*) AS kept
}
RETURN t.trace_id AS trace_id
