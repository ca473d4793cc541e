// The whole breadth-first walk over the k-NN graph in one round trip, in discovery order.
// params: $world, $seeds (fact ids, best first), $width (M), $base (width + 1), $weights (by length of path: what sets paths of that length behind all shorter ones)
// shape: hops
// returns: fact_ids (in discovery order), keys (weight of its hop, plus the path as a number in base $base: position of the seed, then the rank of every step)
// source: PACE, section on multi-hop traversal. Discovery order is the order of hop, then of the least path: seed, rank, rank …
CYPHER 25
UNWIND range(0, size($seeds) - 1) AS position
MATCH (s:Fact {world: $world, fact_id: $seeds[position]})
MATCH (s)-[steps:SIMILAR_TO WHERE steps.rank <= $width]->{1,5/*hops*/}(f:Fact {world: $world})
WITH f, min($weights[size(steps)] + reduce(code = position, step IN steps | code * $base + step.rank)) AS key
WITH f.fact_id AS fact_id, key
WHERE NOT fact_id IN $seeds
WITH fact_id, key ORDER BY key
RETURN collect(fact_id) AS fact_ids, collect(key) AS keys
