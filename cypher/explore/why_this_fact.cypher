// Why was this fact found? Every trace of its world that met it: as a seed (by which views and legs), on which hop, kept at which rank.
// params: $world, $fact_id
// returns: asked, system, request, seed (rank and lists), hop, parent (fact it was met from), kept (rank)
// example: :param world => 'mara_quill'; :param fact_id => 'd001'
MATCH (f:Fact {world: $world, fact_id: $fact_id})<-[:SEED|REACHED|KEPT]-(t:Trace {world: $world})
WITH DISTINCT f, t
OPTIONAL MATCH (t)-[s:SEED]->(f)
OPTIONAL MATCH (t)-[r:REACHED]->(f)
OPTIONAL MATCH (t)-[k:KEPT]->(f)
RETURN t.asked AS asked, t.system AS system, t.text AS request, s.rank AS seed_rank, s.legs AS lists, r.hop AS hop,
       r.parent AS parent, k.rank AS kept_rank
ORDER BY asked DESC
