// What does this person know of one day? Every fact that is dated on it or mentions it.
// params: $world, $day (ISO day)
// returns: fact_id, text, date (as given, if it was)
// example: :param world => 'mara_quill'; :param day => '2026-03-21'
MATCH (f:Fact {world: $world})
WHERE $day IN f.days
RETURN f.fact_id AS fact_id, f.text AS text, f.date AS date
ORDER BY f.at, fact_id
