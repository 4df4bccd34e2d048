--! compatible
-- A rule may take its limit from an attribute of the device (src/alarm/condition/limit.ts). Rules are kept in memory with
-- these limits, so a config of an attribute that some rule names raises the version that each batch compares; other
-- configs, of which an import of devices has thousands, do not.
create index svc_rule_limit on svc_rule (tenant_id, (rule_ext #>> '{content,condition,attribute}'))
  where rule_ext #>> '{content,condition,attribute}' is not null;

-- The table of the attributes is the argument. As svc_raise_version, once per transaction and tenant.
create function svc_raise_limit_version() returns trigger language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  facts jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  tenant bigint := (facts ->> 'tenant_id')::bigint;
  raised text := coalesce(current_setting('svc.raised', true), '');
  seen text := coalesce(current_setting('svc.tenant_free', true), '');
  mark text := format('devices:%s;', tenant);
  named boolean;
begin
  if position(mark in raised) > 0 then
    return null;
  end if;
  perform set_config('svc.tenant_free', 'version', true);
  execute format('select exists (select from svc_rule r join %I a on a.tenant_id = r.tenant_id
    and a.attribute_code = r.rule_ext #>> ''{content,condition,attribute}''
    where r.tenant_id = $1 and r.rule_ext #>> ''{content,condition,attribute}'' is not null and a.id = $2)', tg_argv[0])
    into named using tenant, (facts ->> 'attribute_id')::bigint;
  if named then
    insert into svc_tenant_version (tenant_id, devices) values (tenant, 1)
      on conflict (tenant_id) do update set devices = svc_tenant_version.devices + 1;
    perform set_config('svc.raised', raised || mark, true);
  end if;
  perform set_config('svc.tenant_free', seen, true);
  return null;
end $$;

do $$
declare
  kind text;
begin
  foreach kind in array array['driver', 'point'] loop
    execute format('create constraint trigger svc_limit_version_rows after insert or delete on svc_%1$s_attribute_config
      deferrable initially deferred for each row execute function svc_raise_limit_version(''svc_%1$s_attribute'')', kind);
    execute format('create constraint trigger svc_limit_version after update of config_value, enable_flag
      on svc_%1$s_attribute_config deferrable initially deferred for each row
      when (old.config_value <> new.config_value or old.enable_flag <> new.enable_flag)
      execute function svc_raise_limit_version(''svc_%1$s_attribute'')', kind);
  end loop;
end $$;
