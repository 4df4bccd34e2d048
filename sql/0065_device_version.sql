-- By what values are stored and judged has a version of its own, which the trip of a batch compares: a device that was
-- deleted or moved, or another rule, counts from the next batch on in every process.
alter table svc_tenant_version
  -- Drivers, devices, points and the rules on them.
  add column devices bigint not null default 0;

create function svc_device_version(tenant bigint) returns text language sql stable as $$
  select coalesce(sum(devices), 0)::text from svc_tenant_version where tenant_id = tenant
$$;

-- Raises SV002, with the present version as its message, unless it is the given one.
create function svc_require_device_version(tenant bigint, version text) returns void language plpgsql stable as $$
declare
  present text;
begin
  -- Not svc_device_version: a function in SQL is planned anew in each transaction, this statement once per session.
  select coalesce(sum(v.devices), 0)::text into present from svc_tenant_version v where v.tenant_id = tenant;
  if present <> version then
    raise exception using errcode = 'SV002', message = present;
  end if;
end $$;

create or replace function svc_raise_version() returns trigger language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  facts jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  raised text := coalesce(current_setting('svc.raised', true), '');
  seen text := coalesce(current_setting('svc.tenant_free', true), '');
  mark text;
  tenant bigint;
begin
  perform set_config('svc.tenant_free', 'version', true);
  for tenant in select svc_tenants_of(tg_argv[1], facts) loop
    mark := format('%s:%s;', tg_argv[0], tenant);
    continue when position(mark in raised) > 0;
    insert into svc_tenant_version (tenant_id, rights, members, devices)
      values (tenant, (tg_argv[0] = 'rights')::int, (tg_argv[0] = 'members')::int, (tg_argv[0] = 'devices')::int)
      on conflict (tenant_id) do update set rights = svc_tenant_version.rights + excluded.rights,
        members = svc_tenant_version.members + excluded.members,
        devices = svc_tenant_version.devices + excluded.devices;
    raised := raised || mark;
    perform set_config('svc.raised', raised, true);
  end loop;
  perform set_config('svc.tenant_free', seen, true);
  return null;
end $$;

-- A new device, driver or point changes nothing that is known; a new rule does.
do $$
declare
  row record;
begin
  for row in select * from (values
    ('svc_driver', 'delete', array['driver_code']),
    ('svc_device', 'delete', array['driver_id', 'profile_id']),
    ('svc_point', 'delete', array['profile_id', 'point_type_flag']),
    ('svc_rule', 'insert or delete', array['enable_flag', 'operate_time'])
  ) changed (relation, rows, columns) loop
    execute format('create constraint trigger svc_version_rows after %s on %I
      deferrable initially deferred for each row execute function svc_raise_version(''devices'', ''tenant'')',
      row.rows, row.relation);
    execute format('create constraint trigger svc_version after update of %s on %I
      deferrable initially deferred for each row when ((%s) is distinct from (%s))
      execute function svc_raise_version(''devices'', ''tenant'')',
      array_to_string(row.columns, ', '), row.relation,
      'old.' || array_to_string(row.columns, ', old.'), 'new.' || array_to_string(row.columns, ', new.'));
  end loop;
end $$;
