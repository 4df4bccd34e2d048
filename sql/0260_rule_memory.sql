--! compatible
-- What a rule remembers of the values at a place: the parts of its window (docs/specification/alarms.md, Windows).
alter table svc_rule_state add column memory jsonb not null default '{}';
