// A world's name is its key.
// params:
// returns:
CREATE CONSTRAINT world_key IF NOT EXISTS FOR (n:World) REQUIRE (n.world) IS UNIQUE
