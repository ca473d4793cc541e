// Marks a world for deletion: readers are refused from here on.
// params: $world
// returns: world
MATCH (w:World {world: $world})
SET w.status = 'deleting'
REMOVE w.load
RETURN w.world AS world
