// All traces of a world.
// params:
// returns:
CREATE INDEX trace_world IF NOT EXISTS FOR (n:Trace) ON (n.world)
