// Notes that no vector of an older model is left in a world.
// params: $world, $token
// returns: world
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
SET w.stale = false
RETURN w.world AS world
