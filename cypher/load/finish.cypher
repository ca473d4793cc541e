// Declares a world ready, if this load still holds it and everything is there.
// params: $world, $token, $content, $digest, $facts, $edges, $window_start, $ref_date, $window_end, $profile, $zone, $seconds
// returns: world, found_facts, found_edges, ready
MATCH (w:World {world: $world})
SET w.lock = true REMOVE w.lock
WITH w WHERE w.load = $token
CALL (w) { MATCH (f:Fact {world: $world}) RETURN count(f) AS found_facts, count(f.embedding) AS embedded }
CALL (w) { MATCH (:Fact {world: $world})-[r:SIMILAR_TO]->(:Fact {world: $world}) RETURN count(r) AS found_edges }
WITH w, found_facts, found_edges, found_facts = $facts AND embedded = $facts AND found_edges = $edges AS ready
FOREACH (_ IN CASE WHEN ready THEN [1] ELSE [] END |
  SET w.status = 'ready', w.content = $content, w.digest = $digest, w.facts = $facts, w.edges = $edges,
      w.window_start = $window_start, w.ref_date = $ref_date, w.window_end = $window_end, w.profile = $profile, w.zone = $zone,
      w.loaded = datetime(), w.seconds = coalesce(w.seconds, 0.0) + $seconds
  REMOVE w.load, w.partial)
RETURN w.world AS world, found_facts, found_edges, ready
