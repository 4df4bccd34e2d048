--! compatible
-- The level in the newest message about the firing that was written to the channel: an alarm that rises above it is sent
-- again (docs/specification/alarms.md, Levels).
alter table svc_notify_ledger add column level_flag smallint;
