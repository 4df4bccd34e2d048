--! compatible
-- Headers that a tenant's gateway or vendor wants with each request: their names in clear, with their values sealed, as the key.
alter table svc_model_provider
  add column header_names jsonb not null default '[]',
  add column headers text not null default '';

-- What is sealed is hidden from the change log, whatever its column.
create or replace function svc_change_diff(before jsonb, after jsonb, hidden text[]) returns jsonb language sql immutable as $$
  select coalesce(jsonb_object_agg(key,
    case when key = any (hidden) or before ->> key like 'enc:v1:%' or after ->> key like 'enc:v1:%'
      then '["******", "******"]'::jsonb
      else jsonb_build_array(before -> key, after -> key) end), '{}')
  from (select key from jsonb_object_keys(before || after) key) keys
  where before -> key is distinct from after -> key
    and key not in ('id', 'tenant_id', 'creator_id', 'creator_name', 'create_time', 'operator_id', 'operator_name',
      'operate_time', 'signature')
    and key not like '%version%'
$$;
