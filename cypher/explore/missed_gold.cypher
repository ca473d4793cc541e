// Which gold facts of a request were missed, and how near did the newest retrieval come?
// params: $world, $query_id
// returns: fact_id, text, came (kept, dropped by the last filter, never reached, or never asked), system
// example: :param world => 'mara_quill'; :param query_id => 'q000'
CYPHER 25
MATCH (q:Query {world: $world, query_id: $query_id})-[:GOLD]->(f:Fact {world: $world})
OPTIONAL CALL (q) {
  MATCH (t:Trace {world: $world, query_id: q.query_id})
  RETURN t ORDER BY t.asked DESC LIMIT 1
}
RETURN f.fact_id AS fact_id, f.text AS text,
       CASE
         WHEN t IS NULL THEN 'never asked'
         WHEN EXISTS { (t)-[:KEPT]->(f) } THEN 'kept'
         WHEN EXISTS { (t)-[:SEED|REACHED]->(f) } THEN 'dropped by the last filter'
         ELSE 'never reached'
       END AS came,
       t.system AS system
ORDER BY came, fact_id
