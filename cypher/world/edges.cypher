// The SIMILAR_TO edges of a world.
// params: $world
// returns: source, target (fact ids), rank, score
MATCH (a:Fact {world: $world})-[r:SIMILAR_TO]->(b:Fact {world: $world})
RETURN a.fact_id AS source, b.fact_id AS target, r.rank AS rank, r.score AS score
ORDER BY source, rank, target
