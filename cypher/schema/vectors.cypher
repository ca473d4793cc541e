// One vector index a dimension, filtered by world inside the index; not quantised, so that its order is the exact one.
// params:
// shape: dimension
// returns:
// source: Neo4j 2026.01 and later, vector indexes with filter properties
CYPHER 25
CREATE VECTOR INDEX fact_vectors_384/*dimension*/ IF NOT EXISTS
FOR (f:Vector384/*dimension*/) ON f.embedding WITH [f.world]
OPTIONS {indexConfig: {
  `vector.dimensions`: 384/*dimension*/,
  `vector.similarity_function`: 'cosine',
  `vector.quantization.type`: 'NONE'
}}
