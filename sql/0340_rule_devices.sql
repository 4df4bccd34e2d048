--! compatible
-- Rules of chosen devices and groups (src/alarm/condition/devices.ts): a device that joins or leaves a group that a
-- rule names is a change of that rule's places.
create index svc_rule_groups on svc_rule using gin ((rule_ext #> '{content,devices,groupIds}'))
  where rule_ext #> '{content,devices,groupIds}' is not null;

-- As svc_raise_version, once per transaction and tenant.
create function svc_raise_group_version() returns trigger language plpgsql security definer
  set search_path = public, pg_temp as $$
declare
  tenant bigint := coalesce(new.tenant_id, old.tenant_id);
  groups text[] := array[old.group_id::text, new.group_id::text];
  raised text := coalesce(current_setting('svc.raised', true), '');
  seen text := coalesce(current_setting('svc.tenant_free', true), '');
  mark text := format('devices:%s;', tenant);
begin
  if position(mark in raised) > 0 then
    return null;
  end if;
  perform set_config('svc.tenant_free', 'version', true);
  if exists (select from svc_rule r where r.tenant_id = tenant
      and r.rule_ext #> '{content,devices,groupIds}' is not null
      and r.rule_ext #> '{content,devices,groupIds}' ?| array_remove(groups, null)) then
    insert into svc_tenant_version (tenant_id, devices) values (tenant, 1)
      on conflict (tenant_id) do update set devices = svc_tenant_version.devices + 1;
    perform set_config('svc.raised', raised || mark, true);
  end if;
  perform set_config('svc.tenant_free', seen, true);
  return null;
end $$;

create constraint trigger svc_version_rows after insert or delete on svc_group_bind
  deferrable initially deferred for each row execute function svc_raise_group_version();
create constraint trigger svc_version after update of group_id, entity_id, enable_flag on svc_group_bind
  deferrable initially deferred for each row when (old.* is distinct from new.*)
  execute function svc_raise_group_version();
