// Waits until every index is ready to answer.
// params: $seconds
// returns:
CALL db.awaitIndexes($seconds)
