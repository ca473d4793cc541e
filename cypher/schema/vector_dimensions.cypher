// The dimensions that have a vector index of ours, and whether each is online.
// params:
// returns: name, state, progress (percent)
SHOW VECTOR INDEXES YIELD name, state, populationPercent
WHERE name STARTS WITH 'fact_vectors_'
RETURN name, state, populationPercent AS progress
ORDER BY name
