// The requests of a world with their gold facts, in the order of the file. For measuring: no retrieval statement touches them.
// params: $world
// returns: query_id, text, label, situation, judgment, ref_date, gold, gold_missing
MATCH (q:Query {world: $world})
CALL (q) {
  OPTIONAL MATCH (q)-[g:GOLD]->(f:Fact {world: $world})
  WITH f, g ORDER BY g.position
  RETURN collect(f.fact_id) AS gold
}
RETURN q.query_id AS query_id, q.text AS text, q.label AS label, q.situation AS situation, q.judgment AS judgment,
       toString(q.ref_date) AS ref_date, gold, q.gold_missing AS gold_missing
ORDER BY q.position, query_id
