--! compatible
-- What became of a confirmed proposal that is no command and no roll-out: the rule that was added, how many alarms were
-- confirmed, until when one is silenced. Null for every other.
alter table svc_action add column result jsonb;
