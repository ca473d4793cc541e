// The facts of a world, in the order of their ids.
// params: $world
// returns: fact_id, text, date, at (ISO instant), days (ISO days the text mentions, and the fact's own)
MATCH (f:Fact {world: $world})
RETURN f.fact_id AS fact_id, f.text AS text, f.date AS date, toString(f.at) AS at, f.days AS days
ORDER BY fact_id
