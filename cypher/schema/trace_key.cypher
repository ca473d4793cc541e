// A trace has an id of its own: the same request may be asked many times.
// params:
// returns:
CREATE CONSTRAINT trace_key IF NOT EXISTS FOR (n:Trace) REQUIRE (n.trace_id) IS UNIQUE
