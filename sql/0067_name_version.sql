-- Names of a tenant that a process keeps in memory have a version of their own: a call that was given a name compares
-- it in the trip of its work, so a device that was added or renamed anywhere counts at the next call.
alter table svc_tenant_version
  -- Devices, points, profiles, drivers, groups and labels by their names.
  add column names bigint not null default 0;

create function svc_name_version(tenant bigint) returns text language sql stable as $$
  select coalesce(sum(names), 0)::text from svc_tenant_version where tenant_id = tenant
$$;

-- Raises SV003 unless the version is the given one.
create function svc_require_name_version(tenant bigint, version text) returns void language plpgsql stable as $$
declare
  present text;
begin
  select coalesce(sum(v.names), 0)::text into present from svc_tenant_version v where v.tenant_id = tenant;
  if present <> version then
    raise exception using errcode = 'SV003', message = 'the names have changed';
  end if;
end $$;

-- As before, for any kind: a column of svc_tenant_version.
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
    execute format('insert into svc_tenant_version (tenant_id, %1$I) values ($1, 1)
      on conflict (tenant_id) do update set %1$I = svc_tenant_version.%1$I + 1', tg_argv[0]) using tenant;
    raised := raised || mark;
    perform set_config('svc.raised', raised, true);
  end loop;
  perform set_config('svc.tenant_free', seen, true);
  return null;
end $$;

do $$
declare
  row record;
begin
  for row in select * from (values
    ('svc_device', array['device_name', 'profile_id']),
    ('svc_point', array['point_name', 'profile_id']),
    ('svc_profile', array['profile_name']),
    ('svc_driver', array['driver_name']),
    ('svc_group', array['group_name']),
    ('svc_label', array['label_name'])
  ) changed (relation, columns) loop
    execute format('create constraint trigger svc_name_version_rows after insert or delete on %I
      deferrable initially deferred for each row execute function svc_raise_version(''names'', ''tenant'')',
      row.relation);
    execute format('create constraint trigger svc_name_version after update of %s on %I
      deferrable initially deferred for each row when ((%s) is distinct from (%s))
      execute function svc_raise_version(''names'', ''tenant'')',
      array_to_string(row.columns, ', '), row.relation,
      'old.' || array_to_string(row.columns, ', old.'), 'new.' || array_to_string(row.columns, ', new.'));
  end loop;
end $$;
