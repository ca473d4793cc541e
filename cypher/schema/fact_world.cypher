// All facts of a world.
// params:
// returns:
CREATE INDEX fact_world IF NOT EXISTS FOR (n:Fact) ON (n.world)
