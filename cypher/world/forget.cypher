// Removes the world itself, once nothing else of it is left.
// params: $world
// returns: removed
MATCH (w:World {world: $world})
DETACH DELETE w
RETURN count(*) AS removed
