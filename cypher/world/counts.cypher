// How many things of each kind a world holds.
// params: $world
// returns: facts, embedded, edges, people, attributes, queries, gold, traces
MATCH (w:World {world: $world})
RETURN COUNT { (:Fact {world: $world}) } AS facts,
       COUNT { (f:Fact {world: $world}) WHERE f.embedding IS NOT NULL } AS embedded,
       COUNT { (:Fact {world: $world})-[:SIMILAR_TO]->(:Fact {world: $world}) } AS edges,
       COUNT { (:Person {world: $world}) } AS people,
       COUNT { (:Attribute {world: $world}) } AS attributes,
       COUNT { (:Query {world: $world}) } AS queries,
       COUNT { (:Query {world: $world})-[:GOLD]->(:Fact {world: $world}) } AS gold,
       COUNT { (:Trace {world: $world}) } AS traces
