-- How many rows a tenant has in the tables with the long lists, so that a page that is narrowed by nothing counts
-- none of them. Each statement that adds or deletes rows adds what it changed, in its own transaction; rows are never
-- updated, so no writer waits for another one. The total is the sum; src/manager/total-sweeper.ts keeps it short.
create table svc_tenant_total (
  tenant_id bigint not null,
  -- The table without its prefix: device, point, event_history …
  entity text not null,
  id bigint generated always as identity,
  amount bigint not null,
  primary key (tenant_id, entity, id)
);
call svc_protect('svc_tenant_total');

-- `changed` holds the rows that the statement added or deleted.
create function svc_count_rows() returns trigger language plpgsql as $$
begin
  insert into svc_tenant_total (tenant_id, entity, amount)
    select tenant_id, substr(tg_table_name, 5), count(*) * case tg_op when 'INSERT' then 1 else -1 end
    from changed group by tenant_id;
  return null;
end $$;

do $$
declare
  target text;
begin
  perform set_config('svc.tenant_free', 'migration', true);
  foreach target in array array['svc_device', 'svc_point', 'svc_event_history', 'svc_entity_alarm',
      'svc_notify_history', 'svc_point_command_history', 'svc_command_history'] loop
    execute format('create trigger svc_total_added after insert on %I referencing new table as changed
      for each statement execute function svc_count_rows()', target);
    execute format('create trigger svc_total_deleted after delete on %I referencing old table as changed
      for each statement execute function svc_count_rows()', target);
    execute format('insert into svc_tenant_total (tenant_id, entity, amount)
      select tenant_id, substr(%L, 5), count(*) from %I group by tenant_id', target, target);
  end loop;
  perform set_config('svc.tenant_free', '', true);
end $$;

-- The order of the lists: a page reads its own rows, not those of the tenant.
create index svc_device_newest on svc_device (tenant_id, create_time desc, id desc);
create index svc_point_newest on svc_point (tenant_id, create_time desc, id desc);
