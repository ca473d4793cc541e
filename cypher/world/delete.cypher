// Removes some nodes of a world, with every edge they have.
// params: $world, $limit
// returns: removed
MATCH (n:Fact|Query|Person|Attribute|Trace {world: $world})
WITH n LIMIT $limit
DETACH DELETE n
RETURN count(*) AS removed
