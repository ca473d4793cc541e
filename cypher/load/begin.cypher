// Opens a world for writing: readers are refused from here on, and an older load of the same world loses its right to write.
// params: $world, $token, $model, $dimension, $k_graph, $source, $stale
// returns: world
MERGE (w:World {world: $world})
ON CREATE SET w.created = datetime()
SET w.status = 'loading', w.load = $token, w.embedding_model = $model, w.dimension = $dimension, w.k_graph = $k_graph,
    w.source = $source, w.stale = (coalesce(w.stale, false) OR $stale), w.content = null, w.digest = null
RETURN w.world AS world
