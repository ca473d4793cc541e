// What links two facts? The shortest chain of similar facts between them.
// params: $world, $from (fact id), $to (fact id)
// returns: chain (a path to draw), facts (texts along it), steps
// example: :param world => 'mara_quill'; :param from => 'd001'; :param to => 'd002'
CYPHER 25
MATCH (a:Fact {world: $world, fact_id: $from}), (b:Fact {world: $world, fact_id: $to})
MATCH chain = SHORTEST 1 (a)(()-[:SIMILAR_TO]-(:Fact {world: $world})){1,8}(b)
RETURN chain, [f IN nodes(chain) | f.text] AS facts, length(chain) AS steps
