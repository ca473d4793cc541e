// The worlds of this graph.
// params:
// returns: world, status, facts, queries, embedding_model, dimension, ref_date, loaded
MATCH (w:World)
CALL (w) { MATCH (q:Query {world: w.world}) RETURN count(q) AS queries }
CALL (w) { OPTIONAL MATCH (p:Person {world: w.world, role: 'ego'}) RETURN head(collect(p.name)) AS persona }
RETURN w.world AS world, w.status AS status, w.facts AS facts, queries, persona, w.embedding_model AS embedding_model,
       w.dimension AS dimension, toString(w.ref_date) AS ref_date, toString(w.loaded) AS loaded
ORDER BY world
