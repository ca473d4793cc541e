// Notes that no vector of an older model is left in a world.
// params: $world, $token
// returns: world
MATCH (w:World {world: $world, load: $token})
SET w.stale = false
RETURN w.world AS world
