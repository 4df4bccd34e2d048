--! compatible
-- The breaks in receiving, `[{"from", "to"}]` in ms, oldest first: the time in them is neither silence of a point nor
-- time in which a condition held. The first goes back to 0 where older ones were forgotten.
alter table svc_listening add column breaks jsonb not null default '[]';
