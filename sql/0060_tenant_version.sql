-- What a process may keep in memory of a tenant carries the version it was read at. A version is raised in the
-- transaction that changes the facts behind it, so a trip that compares it never works on outdated ones.

create table svc_tenant_version (
  -- 0: the platform's own facts, which count for every tenant.
  tenant_id bigint primary key,
  -- Roles, their permissions and bindings.
  rights bigint not null default 0,
  -- Accounts, memberships, clients, keys, tokens and connections.
  members bigint not null default 0
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
-- per transaction and tenant.
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
    insert into svc_tenant_version (tenant_id, rights, members)
      values (tenant, (tg_argv[0] = 'rights')::int, (tg_argv[0] = 'members')::int)
      on conflict (tenant_id) do update set rights = svc_tenant_version.rights + excluded.rights,
        members = svc_tenant_version.members + excluded.members;
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
