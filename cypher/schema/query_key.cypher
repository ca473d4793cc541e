// A query's id is a key within its world.
// params:
// returns:
CREATE CONSTRAINT query_key IF NOT EXISTS FOR (n:Query) REQUIRE (n.world, n.query_id) IS UNIQUE
