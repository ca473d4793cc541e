// What the graph holds of a world: whether it is ready, and what it was made from.
// params: $world
// returns: status, embedding_model, dimension, k_graph, content (digest of what was read), digest, facts, edges, stale, partial (a load was cut short), source
MATCH (w:World {world: $world})
RETURN w.status AS status, w.embedding_model AS embedding_model, w.dimension AS dimension, w.k_graph AS k_graph,
       w.content AS content, w.digest AS digest, w.facts AS facts, w.edges AS edges, coalesce(w.stale, false) AS stale,
       coalesce(w.partial, false) AS partial, w.source AS source
