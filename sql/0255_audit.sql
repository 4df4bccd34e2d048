--! baseline
-- What was configured, by which caller, old and new: written by triggers, so that no way of changing a row is left
-- out. Proposals, decisions and commands have records of their own and are read beside it.
create table svc_change_log (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  -- The table without its prefix: device, point, rule, point_attribute_config …
  entity_type text not null,
  entity_id bigint not null,
  entity_name text not null default '',
  device_id bigint not null default 0,
  point_id bigint not null default 0,
  operation text not null check (operation in ('ADD', 'UPDATE', 'DELETE')),
  -- field → [old, new]
  changes jsonb not null default '{}',
  actor_id bigint not null default 0,
  actor_name text not null default '',
  actor_via text not null default '',
  create_time timestamptz not null default now(),
  source text not null default svc_actor_source()
);
create index svc_change_log_tenant on svc_change_log (tenant_id, create_time desc, id desc);
call svc_protect('svc_change_log');
revoke update, delete on svc_change_log from svc_app;
create trigger svc_append_only before update or delete or truncate on svc_change_log
  for each statement execute function svc_refuse_change();

-- What a row says of itself: its own name, whatever the column is called.
create function svc_change_name(facts jsonb) returns text language sql immutable as $$
  select coalesce(max(value), '') from jsonb_each_text(facts)
  where key like '%\_name' and key not in ('creator_name', 'operator_name', 'service_name')
$$;

-- Fields that differ; bookkeeping is left out and what is secret is hidden.
create function svc_change_diff(before jsonb, after jsonb, hidden text[]) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(key,
    case when key = any (hidden) then '["******", "******"]'::jsonb
      else jsonb_build_array(before -> key, after -> key) end), '{}')
  from (select key from jsonb_object_keys(before || after) key) keys
  where before -> key is distinct from after -> key
    and key not in ('id', 'tenant_id', 'creator_id', 'creator_name', 'create_time', 'operator_id', 'operator_name',
      'operate_time', 'signature')
    and key not like '%version%'
$$;

create function svc_log_change() returns trigger language plpgsql as $$
declare
  entity text := substr(tg_table_name, 5);
  before jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  after jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  facts jsonb := before || after;
  hidden text[] := array['credential', 'api_key', 'password'];
  actor jsonb := nullif(current_setting('svc.actor', true), '')::jsonb;
  name text := svc_change_name(facts);
  attribute record;
  diff jsonb;
begin
  if entity like '%\_attribute\_config' then
    execute format('select attribute_code, attribute_ext from %I where id = $1', replace(tg_table_name, '_config', ''))
      into attribute using (facts ->> 'attribute_id')::bigint;
    name := coalesce(attribute.attribute_code, '');
    if attribute.attribute_ext #>> '{security,secret}' = 'true' or name ~* '(key|secret|token|password)$' then
      hidden := hidden || 'config_value'::text;
    end if;
  end if;
  diff := svc_change_diff(before, after, hidden);
  if tg_op = 'UPDATE' and diff = '{}' then
    return null;
  end if;
  insert into svc_change_log (tenant_id, entity_type, entity_id, entity_name, device_id, point_id, operation, changes,
    actor_id, actor_name, actor_via, create_time)
  values ((facts ->> 'tenant_id')::bigint, entity, (facts ->> 'id')::bigint, name,
    case when entity = 'device' then (facts ->> 'id')::bigint else coalesce((facts ->> 'device_id')::bigint, 0) end,
    case when entity = 'point' then (facts ->> 'id')::bigint else coalesce((facts ->> 'point_id')::bigint, 0) end,
    case tg_op when 'INSERT' then 'ADD' else tg_op end,
    case when tg_op = 'UPDATE' or entity like '%\_config' then diff else '{}' end,
    coalesce((actor ->> 'id')::bigint, (facts ->> 'operator_id')::bigint, 0),
    coalesce(actor ->> 'name', facts ->> 'operator_name', ''),
    coalesce(actor ->> 'via', 'system'),
    coalesce((actor ->> 'at')::timestamptz, (facts ->> 'operate_time')::timestamptz, now()));
  return null;
end $$;

do $$
declare target text;
begin
  foreach target in array array['svc_device', 'svc_profile', 'svc_point', 'svc_command', 'svc_command_param',
      'svc_event', 'svc_event_param', 'svc_rule', 'svc_notify', 'svc_notify_channel', 'svc_notify_channel_bind',
      'svc_message_template', 'svc_model_provider', 'svc_model_config', 'svc_firmware_package'] loop
    execute format('create trigger svc_change after insert or update or delete on %I
      for each row execute function svc_log_change()', target);
  end loop;
end $$;

-- A registering driver refreshes its own rows; only what people change of it counts.
create trigger svc_change after update of driver_name, enable_flag on svc_driver
  for each row execute function svc_log_change();

-- Values of secret attributes are sealed (aes-256-gcm, under a key derived from SVC_SECRET_KEY). The database cannot
-- seal what it has in clear: the registration of its driver does, each time. That is no change of configuration, so
-- the change log leaves it out.
do $$
declare
  target text;
begin
  foreach target in array array['svc_driver_attribute_config', 'svc_point_attribute_config',
      'svc_command_attribute_config', 'svc_event_attribute_config'] loop
    execute format('create trigger svc_change after insert or delete on %I
      for each row execute function svc_log_change()', target);
    execute format($sql$create trigger svc_change_update after update on %I
      for each row when (not (new.config_value like 'enc:v1:%%' and old.config_value not like 'enc:v1:%%'
        and new.version = old.version)) execute function svc_log_change()$sql$, target);
  end loop;
end $$;

-- The waves it has begun are no change that a person made.
create trigger svc_change after insert or update of status or delete on svc_firmware_rollout
  for each row execute function svc_log_change();

-- The rows of the three logs as a chain: each seal is a keyed hash over the seal before it and the row. The order of the
-- seals is the order of the chain, so a row that was committed late has its place too. Without the key, which is not in
-- the database, no row can be changed, left out or exchanged without a seal that does not fit.
create table svc_audit_seal (
  tenant_id bigint not null,
  log text not null check (log in ('identity', 'mcp', 'change')),
  -- Place in the chain of its log, from 1 without gaps.
  seq bigint not null,
  row_id bigint not null,
  -- Which columns of the row are sealed, and how they are written.
  form smallint not null,
  mac text not null,
  seal_time timestamptz not null,
  primary key (log, seq),
  unique (log, row_id)
);
call svc_protect('svc_audit_seal');
revoke update, delete on svc_audit_seal from svc_app;
create trigger svc_append_only before update or delete or truncate on svc_audit_seal
  for each statement execute function svc_refuse_change();
