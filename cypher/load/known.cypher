// The facts of a world as they stand, and which of them have their vector.
// params: $world
// returns: fact_id, text, date, embedded
MATCH (f:Fact {world: $world})
RETURN f.fact_id AS fact_id, f.text AS text, f.date AS date, f.embedding IS NOT NULL AS embedded
ORDER BY fact_id
