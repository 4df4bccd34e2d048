--! compatible
-- Conditions within sets, and the ends of a range, may take their limits from attributes too (src/alarm/condition/limit.ts).
create function svc_limit_attributes(ext jsonb) returns text[] language sql immutable parallel safe as $$
  select coalesce(array_agg(distinct named #>> '{}'), '{}')
  from jsonb_path_query(ext, 'lax $.content.condition.** ? (@.type() == "object").keyvalue()
    ? (@.key == "attribute" || @.key == "lowAttribute" || @.key == "highAttribute").value') named
$$;

drop index svc_rule_limit;
create index svc_rule_limit on svc_rule using gin (svc_limit_attributes(rule_ext))
  where svc_limit_attributes(rule_ext) <> '{}';

-- The table of the attributes is the argument. As svc_raise_version, once per transaction and tenant.
create or replace function svc_raise_limit_version() returns trigger language plpgsql security definer
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
    and svc_limit_attributes(r.rule_ext) @> array[a.attribute_code]
    where r.tenant_id = $1 and svc_limit_attributes(r.rule_ext) <> ''{}'' and a.id = $2)', tg_argv[0])
    into named using tenant, (facts ->> 'attribute_id')::bigint;
  if named then
    insert into svc_tenant_version (tenant_id, devices) values (tenant, 1)
      on conflict (tenant_id) do update set devices = svc_tenant_version.devices + 1;
    perform set_config('svc.raised', raised || mark, true);
  end if;
  perform set_config('svc.tenant_free', seen, true);
  return null;
end $$;
