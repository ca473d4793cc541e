// Edges between a fact of this world and a fact of another one: there must be none.
// params: $world
// returns: strays
MATCH (:Fact {world: $world})-[r:SIMILAR_TO]-(other:Fact)
WHERE coalesce(other.world, '') <> $world
RETURN count(r) AS strays
