// A fact's id is a key within its world.
// params:
// returns:
CREATE CONSTRAINT fact_key IF NOT EXISTS FOR (n:Fact) REQUIRE (n.world, n.fact_id) IS UNIQUE
