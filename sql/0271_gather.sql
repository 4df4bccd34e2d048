--! compatible
-- A message of one channel about several alarms (docs/specification/notifications.md, Together): while gather_key is not
-- empty the row waits, until gather_time, for others that go out with it.
alter table svc_notify_ledger add column gather_key text not null default '';
alter table svc_notify_ledger add column gather_time timestamptz;
-- The last messages about several alarms that named this one: as firing, and as over; 0: none.
alter table svc_notify_ledger add column fired_in bigint not null default 0;
alter table svc_notify_ledger add column over_in bigint not null default 0;
create index svc_notify_ledger_gathering on svc_notify_ledger (tenant_id, channel_id, gather_key)
  where end_time is null and gather_key <> '';
