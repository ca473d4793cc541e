// Opens a world for writing: readers are refused from here on, and an older load of the same world loses its right to write.
// Every statement of a load first takes the lock of its world (set and removed again), then looks whether the load still holds
// it: nothing that an overtaken load has under way can end up beside the writes of the next.
// params: $world, $token, $model, $dimension, $k_graph, $source, $stale, $finishes (what it makes whole of a load cut short: any, own, none)
// returns: world; no row for a world that is being deleted, or whose load was cut short and is not finished by this one
MERGE (w:World {world: $world})
ON CREATE SET w.created = datetime()
SET w.lock = true REMOVE w.lock
WITH w
WHERE coalesce(w.status, 'new') <> 'deleting'
  AND (NOT coalesce(w.partial, false) OR $finishes = 'any' OR ($finishes = 'own' AND w.source = $source))
SET w.status = 'loading', w.load = $token, w.embedding_model = $model, w.dimension = $dimension, w.k_graph = $k_graph,
    w.source = $source, w.stale = (coalesce(w.stale, false) OR $stale), w.content = null, w.digest = null,
    w.partial = (coalesce(w.partial, false) OR $finishes <> 'none')
RETURN w.world AS world
