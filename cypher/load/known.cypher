// The facts of a world as they stand, and which of them have their vector.
// params: $world, $dimension
// returns: fact_id, text, date, at (ISO instant), embedded
MATCH (f:Fact {world: $world})
RETURN f.fact_id AS fact_id, f.text AS text, f.date AS date, toString(f.at) AS at,
       coalesce(size(f.embedding) = $dimension, false) AS embedded
ORDER BY fact_id
