// Writes the requests of a world, with their gold facts, in place of what was there.
// params: $world, $token, $queries (query_id, text, label, situation, judgment, ref_date, position, gold, gold_missing)
// returns: queries; no row when another load holds the world
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) {
  MATCH (old:Query {world: $world})
  DETACH DELETE old
  RETURN count(*) AS gone
}
CALL (w) {
  UNWIND $queries AS row
  CREATE (q:Query {world: $world, query_id: row.query_id, text: row.text, label: row.label, situation: row.situation,
                   judgment: row.judgment, ref_date: row.ref_date, position: row.position, gold_missing: row.gold_missing})
  CREATE (q)-[:ASKED_IN]->(w)
  WITH q, row
  CALL (q, row) {
    UNWIND range(0, size(row.gold) - 1) AS i
    MATCH (f:Fact {world: $world, fact_id: row.gold[i]})
    CREATE (q)-[:GOLD {position: i}]->(f)
    RETURN count(*) AS gold
  }
  RETURN count(q) AS queries
}
RETURN queries
