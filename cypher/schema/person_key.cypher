// A person's name is a key within a world.
// params:
// returns:
CREATE CONSTRAINT person_key IF NOT EXISTS FOR (n:Person) REQUIRE (n.world, n.name) IS UNIQUE
