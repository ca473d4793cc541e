// Whether the database answers.
// params:
// returns: one
RETURN 1 AS one
