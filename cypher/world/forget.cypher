// Removes the world itself, with whatever was still being written when the rest of it went.
// params: $world
// returns: removed
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w
CALL (w) {
  MATCH (n:Fact|Query|Person|Attribute|Trace {world: $world})
  DETACH DELETE n
  RETURN count(*) AS late
}
DETACH DELETE w
RETURN late + 1 AS removed
