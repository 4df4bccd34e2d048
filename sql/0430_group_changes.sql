--! compatible
-- Groups and labels, and what is in them, are configured by people too: their changes are logged like those of devices.
create trigger svc_change after insert or update or delete on svc_group
  for each row execute function svc_log_change();
create trigger svc_change after insert or update or delete on svc_label
  for each row execute function svc_log_change();

-- Of what is in a group or has a label: its own name, and the names of the group or label, which only the names of
-- that time say once one is renamed or deleted.
create function svc_log_membership() returns trigger language plpgsql as $$
declare
  entity text := substr(tg_table_name, 5);
  kind text := replace(entity, '_bind', '');
  before jsonb := case when tg_op = 'INSERT' then '{}' else to_jsonb(old) end;
  after jsonb := case when tg_op = 'DELETE' then '{}' else to_jsonb(new) end;
  facts jsonb := before || after;
  actor jsonb := nullif(current_setting('svc.actor', true), '')::jsonb;
  -- EntityType of src/manager/entity/entity-type.ts
  type text := (array['', '', '', 'driver', 'profile', 'point', 'device', 'command', 'event'])[
    (facts ->> 'entity_type_flag')::int + 1];
  member bigint := (facts ->> 'entity_id')::bigint;
  diff jsonb := svc_change_diff(before, after, '{}') - 'entity_id' - 'entity_type_flag';
  name text := '';
  was text;
  is_now text;
begin
  if tg_op = 'UPDATE' and diff = '{}' then
    return null;
  end if;
  if tg_op <> 'UPDATE' then
    diff := diff - 'enable_flag' - 'remark';
  end if;
  if diff ? (kind || '_id') then
    execute format('select (select %1$I from %2$I where id = $1), (select %1$I from %2$I where id = $2)',
        kind || '_name', 'svc_' || kind)
      into was, is_now using (before ->> (kind || '_id'))::bigint, (after ->> (kind || '_id'))::bigint;
    diff := diff || jsonb_build_object(kind || '_name', jsonb_build_array(was, is_now));
  end if;
  if type <> '' then
    execute format('select %I from %I where id = $1', type || '_name', 'svc_' || type) into name using member;
  end if;
  insert into svc_change_log (tenant_id, entity_type, entity_id, entity_name, device_id, point_id, operation, changes,
    actor_id, actor_name, actor_via, create_time)
  values ((facts ->> 'tenant_id')::bigint, entity, (facts ->> 'id')::bigint, coalesce(name, ''),
    case type when 'device' then member else 0 end,
    case type when 'point' then member else 0 end,
    case tg_op when 'INSERT' then 'ADD' else tg_op end, diff,
    coalesce((actor ->> 'id')::bigint, (facts ->> 'operator_id')::bigint, 0),
    coalesce(actor ->> 'name', facts ->> 'operator_name', ''),
    coalesce(actor ->> 'via', 'system'),
    coalesce((actor ->> 'at')::timestamptz, (facts ->> 'operate_time')::timestamptz, now()));
  return null;
end $$;

create trigger svc_change after insert or update or delete on svc_group_bind
  for each row execute function svc_log_membership();
create trigger svc_change after insert or update or delete on svc_label_bind
  for each row execute function svc_log_membership();
