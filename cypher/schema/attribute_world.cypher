// All attributes of a world's profile.
// params:
// returns:
CREATE INDEX attribute_world IF NOT EXISTS FOR (n:Attribute) ON (n.world)
