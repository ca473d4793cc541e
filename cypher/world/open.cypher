// What the stages need to know of a world, its facts apart.
// params: $world
// returns: status, digest, content (digest of what it was made from), embedding_model, dimension, k_graph, facts, edges, window_start, ref_date, window_end, profile, source, zone, seconds (spent on indexing it), people
MATCH (w:World {world: $world})
CALL (w) {
  OPTIONAL MATCH (p:Person {world: $world})
  WITH p ORDER BY p.role DESC, p.name
  RETURN collect({name: p.name, role: p.role, relation: p.relation}) AS people
}
RETURN w.status AS status, w.digest AS digest, w.content AS content, w.embedding_model AS embedding_model, w.dimension AS dimension,
       w.k_graph AS k_graph, w.facts AS facts, w.edges AS edges, toString(w.window_start) AS window_start,
       toString(w.ref_date) AS ref_date, toString(w.window_end) AS window_end, w.profile AS profile, w.source AS source, w.zone AS zone,
       w.seconds AS seconds, people
