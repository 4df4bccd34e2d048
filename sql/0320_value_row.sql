-- A row has the values of closed hours of one day of UTC, about a thousand at most, from its start until the next row
-- of the day: slow points fill a day, quick ones have several rows in an hour.
alter table svc_value_hour
  -- Of its newest value, or later.
  add end_time timestamptz,
  -- When the last of its values was received, or later.
  add receive_time timestamptz;
select set_config('svc.tenant_free', 'seed', true);
update svc_value_hour set end_time = start + interval '3599.999999 seconds', receive_time = 'infinity';
select set_config('svc.tenant_free', '', true);
alter table svc_value_hour alter end_time set not null, alter receive_time set not null;
-- Blocks are summarized by a vacuum alone, which a table without deleted rows seldom has.
drop index svc_value_hour_start;
create index svc_value_hour_start on svc_value_hour (tenant_id, start);

alter table svc_value_closing
  -- Turns that were taken: one that was prepared beside another is not written.
  add turns bigint not null default 0,
  -- Turns in succession that failed.
  add failures integer not null default 0;
