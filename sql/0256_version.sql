--! baseline
-- What a process may keep in memory of a tenant carries the version it was read at. A version is raised in the
-- transaction that changes the facts behind it, so a trip that compares it never works on outdated ones.
create table svc_tenant_version (
  -- 0: the platform's own facts, which count for every tenant.
  tenant_id bigint primary key,
  -- Roles, their permissions and bindings.
  rights bigint not null default 0,
  -- Accounts, memberships, clients, keys, tokens and connections.
  members bigint not null default 0,
  -- Drivers, devices, points and the rules on them: the trip that stores a batch compares it, so a device that was
  -- deleted or moved, or another rule, counts from the next batch on in every process.
  devices bigint not null default 0,
  -- Devices, points, profiles, drivers, groups and labels by their names: a call that was given a name compares it in
  -- the trip of its work, so a device that was added or renamed anywhere counts at the next call.
  names bigint not null default 0
);
call svc_protect('svc_tenant_version');
-- Only the triggers below raise a version; a row outlives its tenant, so that no number comes again.
revoke insert, update, delete on svc_tenant_version from svc_app;
create policy versions_are_compared on svc_tenant_version for select using (true);

create function svc_version(tenant bigint) returns text language sql stable as $$
  select coalesce(sum(rights), 0) || '.' || coalesce(sum(members), 0)
  from svc_tenant_version where tenant_id in (0, tenant)
$$;

-- Raises SV001, with the present version as its message, unless it is the given one; null compares nothing.
create function svc_require_version(tenant bigint, version text) returns void language plpgsql stable as $$
declare
  present text;
begin
  if version is null then
    return;
  end if;
  select coalesce(sum(v.rights), 0) || '.' || coalesce(sum(v.members), 0) into present
    from svc_tenant_version v where v.tenant_id in (0, tenant);
  if present <> version then
    raise exception using errcode = 'SV001', message = present;
  end if;
end $$;

-- The tenants a changed row counts for; `owner` says how they are found.
create function svc_tenants_of(owner text, facts jsonb) returns setof bigint language plpgsql stable as $$
begin
  case owner
    when 'tenant' then return next (facts ->> 'tenant_id')::bigint;
    when 'itself' then return next (facts ->> 'id')::bigint;
    when 'platform' then return next 0;
    when 'principal' then return query select tenant_id from svc_tenant_membership
      where principal_id = coalesce(facts ->> 'principal_id', facts ->> 'id')::bigint order by 1;
    when 'role' then return query select tenant_id from svc_role where id = (facts ->> 'role_id')::bigint;
    when 'connection' then return query select tenant_id from svc_mcp_connection
      where id = (facts ->> 'connection_id')::bigint;
    -- A token or grant: of a user in a tenant, of a client of a tenant, or of a client of all tenants.
    when 'token' then return next coalesce(
      substring(facts #>> '{payload,accountId}' from '^\d{1,18}(?=\.)')::bigint,
      (select tenant_id from svc_oauth_client where client_id = facts #>> '{payload,clientId}'), 0);
  end case;
end $$;

-- Runs at the commit, so that the lock on the tenant's row is the last of a transaction and is held shortly; once
-- per transaction and tenant. The kind is a column of svc_tenant_version, the owner as above.
create function svc_raise_version() returns trigger language plpgsql security definer
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

-- A new account, client, key or token changes nothing that is known; a new role binding or connection does.
do $$
declare
  row record;
begin
  for row in select * from (values
    ('rights', 'svc_role', 'tenant', 'delete', 'enable_flag'),
    ('rights', 'svc_role_principal_bind', 'tenant', 'insert or delete', 'role_id, principal_id'),
    ('rights', 'svc_role_resource_bind', 'role', 'insert or delete', 'role_id, resource_id'),
    ('rights', 'svc_resource', 'platform', 'delete', 'enable_flag, resource_code'),
    ('members', 'svc_tenant', 'itself', 'delete', 'enable_flag, tenant_code'),
    ('members', 'svc_tenant_membership', 'tenant', 'delete', 'membership_status'),
    ('members', 'svc_principal', 'principal', 'delete', 'enable_flag, locked_flag, principal_type'),
    ('members', 'svc_local_credential', 'principal', 'delete', 'login_name, login_name_normalized, enable_flag'),
    ('members', 'svc_service_account', 'tenant', 'delete', 'enable_flag, expire_time, service_account_name'),
    ('members', 'svc_token_revocation', 'tenant', 'insert', 'revoked_before_ms'),
    ('members', 'svc_oauth_client', 'tenant', 'delete', 'enable_flag, scopes, service_account_principal_id'),
    ('members', 'svc_key', 'tenant', 'delete', 'expire_time, scopes, audience'),
    ('members', 'svc_mcp_connection', 'tenant', 'insert or delete', 'enable_flag, expire_time, client_id, principal_id'),
    ('members', 'svc_mcp_connection_tool', 'connection', 'insert or delete', 'enable_flag, tool_id')
  ) changed (kind, relation, owner, rows, columns) loop
    execute format('create constraint trigger svc_version_rows after %s on %I
      deferrable initially deferred for each row execute function svc_raise_version(%L, %L)',
      row.rows, row.relation, row.kind, row.owner);
    execute format('create constraint trigger svc_version after update of %s on %I
      deferrable initially deferred for each row when (old.* is distinct from new.*)
      execute function svc_raise_version(%L, %L)',
      row.columns, row.relation, row.kind, row.owner);
  end loop;
end $$;

-- Expired tokens are refused by their time.
create constraint trigger svc_version after delete on svc_oauth_store deferrable initially deferred for each row
  when (old.kind in ('Grant', 'AccessToken', 'ClientCredentials', 'Client')
    and (old.expires_at is null or old.expires_at > now()))
  execute function svc_raise_version('members', 'token');

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

-- Single columns and whole rows that callers carry in memory with the version of their tenant.
create constraint trigger svc_version_timezone after update of timezone on svc_tenant
  deferrable initially deferred for each row when (old.timezone is distinct from new.timezone)
  execute function svc_raise_version('members', 'itself');
create constraint trigger svc_version after insert or update or delete on svc_agent_switch
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');
create constraint trigger svc_version_read_only after update of read_only_flag on svc_mcp_connection
  deferrable initially deferred for each row when (old.read_only_flag <> new.read_only_flag)
  execute function svc_raise_version('members', 'tenant');
create constraint trigger svc_version_budgets after update of budgets on svc_mcp_connection
  deferrable initially deferred for each row when (old.budgets <> new.budgets)
  execute function svc_raise_version('members', 'tenant');

-- What every turn of a tenant needs and seldom changes (its models, and whether it has budgets) is kept in memory at the
-- version of the tenant (src/agentic/provider/tenant-facts.ts); a change of it raises that.
create constraint trigger svc_version after insert or update or delete on svc_model_provider
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');
create constraint trigger svc_version after insert or update or delete on svc_model_config
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');
create constraint trigger svc_version after insert or update or delete on svc_chat_budget
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');
create constraint trigger svc_version after insert or update or delete on svc_agent_hold
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');

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
  foreach target in array array['svc_device', 'svc_point', 'svc_event_history', 'svc_entity_alarm',
      'svc_notify_history', 'svc_point_command_history', 'svc_command_history'] loop
    execute format('create trigger svc_total_added after insert on %I referencing new table as changed
      for each statement execute function svc_count_rows()', target);
    execute format('create trigger svc_total_deleted after delete on %I referencing old table as changed
      for each statement execute function svc_count_rows()', target);
  end loop;
end $$;
