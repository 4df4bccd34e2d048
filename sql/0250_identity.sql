--! baseline
-- Identity and access: tenants, principals, credentials, roles, OAuth.

-- The application's role: owns nothing, cannot bypass row-level security.
do $$
begin
  if not exists (select 1 from pg_roles where rolname = 'svc_app') then
    begin
      create role svc_app nologin noinherit nobypassrls;
    exception when duplicate_object or unique_violation then null;
    end;
  end if;
  if not (select rolsuper from pg_roles where rolname = current_user) then
    execute format('grant svc_app to %I', current_user);
  end if;
end $$;
grant usage on schema public to svc_app;

-- The tenant of this transaction; null when none was set, so that nothing is visible by default.
create function svc_current_tenant() returns bigint language sql stable as
  $$ select nullif(current_setting('svc.tenant_id', true), '')::bigint $$;

-- True on the few paths that look across tenants (src/db/tenant.ts lists them).
create function svc_is_tenant_free() returns boolean language sql stable as
  $$ select coalesce(current_setting('svc.tenant_free', true), '') <> '' $$;

-- Row-level security for a table that carries tenant_id.
create procedure svc_protect(target regclass) language plpgsql as $$
begin
  execute format('alter table %s enable row level security', target);
  execute format('alter table %s force row level security', target);
  execute format('create policy tenant_isolation on %s
    using (tenant_id = (select svc_current_tenant()) or (select svc_is_tenant_free()))
    with check (tenant_id = (select svc_current_tenant()) or (select svc_is_tenant_free()))', target);
  execute format('grant select, insert, update, delete on %s to svc_app', target);
end $$;

-- The network address a row's call came from, where there is one; the transaction says it (src/db/actor.ts).
create function svc_actor_source() returns text language sql stable as $$
  select coalesce(nullif(current_setting('svc.actor', true), '')::jsonb ->> 'source', '')
$$;

create function svc_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception '% is append-only', tg_table_name using errcode = 'insufficient_privilege';
end $$;

create table svc_tenant (
  id bigint generated always as identity primary key,
  tenant_name text not null default '',
  tenant_code text not null,
  tenant_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  -- The time zone of the plant (IANA name): answers write times in it. Callers carry it in memory, with the version of
  -- their tenant.
  timezone text not null default 'UTC',
  unique (tenant_code)
);

create table svc_principal (
  id bigint generated always as identity primary key,
  principal_type text not null default 'USER' check (principal_type in ('USER', 'SERVICE_ACCOUNT', 'SYSTEM')),
  principal_name text not null default '',
  display_name text not null default '',
  source_type text not null default 'LOCAL' check (source_type in ('LOCAL', 'EXTERNAL', 'SYSTEM')),
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  locked_flag smallint not null default 0 check (locked_flag in (0, 1)),
  last_login_time timestamptz,
  principal_ext jsonb not null default '{}',
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);

create table svc_user (
  id bigint generated always as identity primary key,
  principal_id bigint not null,
  user_name text not null default '',
  nick_name text not null default '',
  phone text not null default '',
  email text not null default '',
  social_ext jsonb not null default '{}',
  identity_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (principal_id)
);
create index svc_user_name on svc_user (user_name);

create table svc_local_credential (
  id bigint generated always as identity primary key,
  principal_id bigint not null,
  login_name text not null,
  login_name_normalized text not null,
  credential_type text not null default 'PASSWORD' check (credential_type in ('PASSWORD')),
  password_hash text not null,
  password_algorithm text not null check (password_algorithm in ('ARGON2ID', 'BCRYPT')),
  password_params jsonb not null default '{}',
  password_updated_time timestamptz,
  password_expire_time timestamptz,
  failed_attempts integer not null default 0,
  locked_until timestamptz,
  last_failed_time timestamptz,
  require_password_change smallint not null default 1 check (require_password_change in (0, 1)),
  credential_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (principal_id, credential_type)
);
create index svc_local_credential_login on svc_local_credential (login_name_normalized);

create table svc_tenant_membership (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  principal_id bigint not null,
  principal_type text not null default 'USER' check (principal_type in ('USER', 'SERVICE_ACCOUNT', 'SYSTEM')),
  membership_status text not null default 'ACTIVE' check (membership_status in ('ACTIVE', 'SUSPENDED', 'INVITED')),
  joined_time timestamptz not null default now(),
  membership_ext jsonb not null default '{}',
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, principal_id)
);
create index svc_tenant_membership_principal on svc_tenant_membership (principal_id);
-- A service account belongs to exactly one tenant (docs/specification/identity.md, svc_principal).
create unique index svc_service_account_single_tenant on svc_tenant_membership (principal_id)
  where principal_type = 'SERVICE_ACCOUNT';
call svc_protect('svc_tenant_membership');

create table svc_service_account (
  id bigint generated always as identity primary key,
  principal_id bigint not null,
  tenant_id bigint not null,
  service_account_name text not null,
  owner_principal_id bigint not null default 0,
  purpose text not null default '',
  expire_time timestamptz,
  last_used_time timestamptz,
  credential_policy_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (principal_id),
  unique (tenant_id, service_account_name)
);
call svc_protect('svc_service_account');

-- tenant_id 0: a built-in role of the platform, which every tenant may bind and none may change.
create table svc_role (
  id bigint generated always as identity primary key,
  parent_role_id bigint not null default 0,
  role_name text not null default '',
  role_code text not null,
  role_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  tenant_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, role_code)
);
call svc_protect('svc_role');
create policy built_in_roles on svc_role for select using (tenant_id = 0);

-- A resource is a permission code (docs/specification/identity.md, svc_resource).
create table svc_resource (
  id bigint generated always as identity primary key,
  parent_resource_id bigint not null default 0,
  resource_name text not null default '',
  resource_code text not null,
  service_name text not null default '',
  resource_type_flag smallint not null default 6 check (resource_type_flag between 0 and 6),
  resource_scope_flag smallint not null default 3 check (resource_scope_flag between 0 and 4),
  entity_id bigint not null default 0,
  resource_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (resource_code, service_name)
);

create table svc_role_principal_bind (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  role_id bigint not null,
  principal_id bigint not null,
  principal_type text not null default 'USER' check (principal_type in ('USER', 'SERVICE_ACCOUNT', 'SYSTEM')),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, role_id, principal_id)
);
create index svc_role_principal_bind_principal on svc_role_principal_bind (tenant_id, principal_id);
call svc_protect('svc_role_principal_bind');

create table svc_role_resource_bind (
  id bigint generated always as identity primary key,
  role_id bigint not null,
  resource_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (role_id, resource_id)
);

-- Tokens of the pair issued at or before this moment are refused (docs/specification/login.md 6).
create table svc_token_revocation (
  tenant_id bigint not null,
  principal_id bigint not null,
  revoked_before_ms bigint not null,
  primary key (tenant_id, principal_id)
);
call svc_protect('svc_token_revocation');

create table svc_oauth_client (
  id bigint generated always as identity primary key,
  client_id text not null unique,
  client_name text not null default '',
  client_type text not null check (client_type in ('PUBLIC', 'CONFIDENTIAL')),
  owner_principal_id bigint not null default 0,
  service_account_principal_id bigint not null default 0,
  tenant_id bigint not null,
  client_secret text,
  grant_types text[] not null,
  redirect_uris text[] not null default '{}',
  scopes text not null default '',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
call svc_protect('svc_oauth_client');

-- What the authorization server keeps (grants, codes, tokens, sessions), found by secret id only.
create table svc_oauth_store (
  kind text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  user_code text,
  expires_at timestamptz,
  -- From where a client registered itself: no source takes the place of the others.
  source text,
  primary key (kind, id)
);
create index svc_oauth_store_grant on svc_oauth_store (grant_id) where grant_id is not null;
create index svc_oauth_store_uid on svc_oauth_store (kind, uid) where uid is not null;
create index svc_oauth_store_expiry on svc_oauth_store (expires_at);
alter table svc_oauth_store enable row level security, force row level security;
create policy platform_only on svc_oauth_store
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));

create table svc_identity_audit_log (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  principal_id bigint not null,
  principal_type text not null default 'USER',
  action text not null,
  resource_type text not null default '',
  resource_id text not null default '',
  resource_name text not null default '',
  status text not null,
  error_code text not null default '',
  detail_ext jsonb not null default '{}',
  create_time timestamptz not null default now(),
  source text not null default svc_actor_source()
);
create index svc_identity_audit_log_time on svc_identity_audit_log (tenant_id, create_time desc);
call svc_protect('svc_identity_audit_log');

-- Where identities of others could come from; no login of theirs is enabled (docs/specification/login.md 7).
create table svc_identity_provider (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  provider_code text not null,
  provider_name text not null default '',
  provider_type text not null default 'OIDC' check (provider_type in ('GOOGLE', 'GITHUB', 'OIDC', 'SAML')),
  issuer text not null default '',
  discovery_url text not null default '',
  authorization_uri text not null default '',
  token_uri text not null default '',
  user_info_uri text not null default '',
  jwks_uri text not null default '',
  client_id text not null default '',
  client_secret_ref text not null default '',
  scopes text not null default '',
  redirect_uri text not null default '',
  subject_claim text not null default 'sub',
  username_claim text not null default '',
  email_claim text not null default 'email',
  attribute_mapping jsonb not null default '{}',
  provisioning_mode text not null default 'LINK_ONLY' check (provisioning_mode in ('LINK_ONLY', 'JIT')),
  enable_flag smallint not null default 1 check (enable_flag in (0, 1)),
  provider_ext jsonb not null default '{}',
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, provider_code)
);
call svc_protect('svc_identity_provider');

create table svc_external_identity (
  id bigint generated always as identity primary key,
  provider_id bigint not null,
  principal_id bigint not null,
  external_subject text not null,
  external_username text not null default '',
  external_email text not null default '',
  email_verified smallint not null default 0 check (email_verified in (0, 1)),
  first_login_time timestamptz,
  last_login_time timestamptz,
  last_claims_digest text not null default '',
  identity_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (provider_id, external_subject),
  unique (provider_id, principal_id)
);

-- The REST endpoints and the menus of the web console: the same for all tenants.
create table svc_api (
  id bigint generated always as identity primary key,
  service_name text not null default '',
  api_type_flag smallint not null default 0 check (api_type_flag between 0 and 3),
  api_name text not null default '',
  api_code text not null,
  api_group text not null default '',
  api_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (api_code)
);

create table svc_menu (
  id bigint generated always as identity primary key,
  parent_menu_id bigint not null default 0,
  menu_type_flag smallint not null default 0 check (menu_type_flag between 0 and 1),
  menu_name text not null default '',
  menu_code text not null,
  menu_level smallint not null default 0 check (menu_level between 0 and 4),
  menu_index integer not null default 0,
  menu_ext jsonb not null default '{}',
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (menu_code)
);

-- What an MCP client may use for a principal, beside the principal's permissions and the token's scopes.
create table svc_mcp_connection (
  id bigint generated always as identity primary key,
  connection_name text not null,
  client_id text not null,
  principal_id bigint not null,
  principal_type text not null default 'USER' check (principal_type in ('USER', 'SERVICE_ACCOUNT')),
  tenant_id bigint not null,
  grant_type text not null default 'authorization_code' check (grant_type in ('authorization_code', 'client_credentials')),
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  expire_time timestamptz,
  revoke_time timestamptz,
  last_used_time timestamptz,
  connection_ext jsonb not null default '{}',
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  read_only_flag smallint not null default 0 check (read_only_flag in (0, 1)),
  -- Budgets of an hour that differ from the default: null of a budget is no limit.
  budgets jsonb not null default '{}' check (jsonb_typeof(budgets) = 'object'),
  unique (tenant_id, principal_id, client_id, connection_name)
);
call svc_protect('svc_mcp_connection');

create table svc_mcp_connection_tool (
  id bigint generated always as identity primary key,
  connection_id bigint not null,
  tool_id text not null,
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (connection_id, tool_id)
);

create table svc_mcp_tool_catalog (
  id bigint generated always as identity primary key,
  tool_id text not null unique,
  tool_name text not null default '',
  tool_title text not null default '',
  tool_category text not null default '',
  service_name text not null default '',
  api_code text not null default '',
  permission_code text not null default '',
  http_method text not null default '',
  api_path text not null default '',
  schema_hash text not null default '',
  risk_level text not null default 'LOW' check (risk_level in ('LOW', 'MEDIUM', 'HIGH')),
  read_only_hint smallint not null default 0 check (read_only_hint in (0, 1)),
  destructive_hint smallint not null default 0 check (destructive_hint in (0, 1)),
  idempotent_hint smallint not null default 0 check (idempotent_hint in (0, 1)),
  open_world_hint smallint not null default 0 check (open_world_hint in (0, 1)),
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  tool_ext jsonb not null default '{}',
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);

create table svc_mcp_audit_log (
  id bigint generated always as identity primary key,
  trace_id text not null default '',
  tenant_id bigint not null,
  principal_id bigint not null,
  principal_type text not null default 'USER' check (principal_type in ('USER', 'SERVICE_ACCOUNT')),
  client_id text not null default '',
  connection_id bigint not null default 0,
  tool_id text not null default '',
  tool_name text not null default '',
  permission_code text not null default '',
  risk_level text not null default 'LOW' check (risk_level in ('LOW', 'MEDIUM', 'HIGH')),
  confirm_id text not null default '',
  idempotency_key text not null default '',
  argument_digest text not null default '',
  status text not null check (status in ('SUCCESS', 'DENIED', 'POLICY_DENIED', 'ERROR', 'UNKNOWN')),
  error_code text not null default '',
  duration_ms bigint not null default 0,
  client_name text not null default '',
  client_version text not null default '',
  remote_ip text not null default '',
  audit_ext jsonb not null default '{}',
  create_time timestamptz not null default now()
);
create index svc_mcp_audit_log_time on svc_mcp_audit_log (tenant_id, create_time desc);
-- Calls over MCP by the trace they were a part of.
create index svc_mcp_audit_log_trace on svc_mcp_audit_log (tenant_id, trace_id, create_time desc) where trace_id <> '';
call svc_protect('svc_mcp_audit_log');

-- Login and user names are a tenant's own: whether a name is taken elsewhere cannot be seen, and two tenants may have
-- the same. A person of several tenants has one name, which is taken in each of them; the triggers below keep the list.
create table svc_tenant_name (
  tenant_id bigint not null,
  kind text not null check (kind in ('LOGIN', 'USER')),
  name text not null,
  principal_id bigint not null,
  constraint svc_tenant_name_name_key unique (tenant_id, kind, name)
);
create index svc_tenant_name_principal on svc_tenant_name (principal_id);
call svc_protect('svc_tenant_name');

-- Keys for programs: opaque, only a digest of each is kept; for one audience, with the scopes its owner left it.
create table svc_key (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  -- The person, or the service account, a program acts for with it.
  principal_id bigint not null,
  principal_type text not null check (principal_type in ('USER', 'SERVICE_ACCOUNT')),
  key_name text not null,
  -- What is shown of it, and how it is named in logs.
  key_prefix text not null,
  -- SHA-256 of the whole key, in base64url: it has 256 random bits, so no salt and no slow hash are needed.
  key_digest text not null unique,
  audience text not null check (audience in ('mcp', 'api')),
  scopes text[] not null,
  expire_time timestamptz not null,
  -- To the minute.
  last_used_time timestamptz,
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  unique (tenant_id, principal_id, key_name)
);
call svc_protect('svc_key');

-- What agents may do: all, nothing but read, or nothing; for the platform (tenant 0), a tenant and a connection, of which
-- the strictest counts. A switch raises the version of who it counts for, so it acts in every process with the next trip.
create table svc_agent_switch (
  tenant_id bigint primary key,
  mode text not null check (mode in ('ON', 'READ_ONLY', 'OFF')),
  reason text not null default '',
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  hold_flag smallint not null default 0 check (hold_flag in (0, 1))
);
call svc_protect('svc_agent_switch');
create policy platform_switch on svc_agent_switch for select using (tenant_id = 0);

-- What agents used, in buckets of five minutes: of a connection, and of a principal with all its connections and chats.
create table svc_agent_usage (
  tenant_id bigint not null,
  kind text not null check (kind in ('connection', 'principal')),
  subject_id bigint not null,
  -- Its beginning.
  bucket timestamptz not null,
  calls bigint not null default 0,
  device_reads bigint not null default 0,
  proposals bigint not null default 0,
  -- About, as JSON.
  output_tokens bigint not null default 0,
  primary key (tenant_id, kind, subject_id, bucket)
);
-- Finds what counts no more, also of connections and principals that are used no more.
create index svc_agent_usage_bucket on svc_agent_usage (bucket);
call svc_protect('svc_agent_usage');

-- Failures of a login name over all sources, and the sources it logged in from: a name is a digest of tenant and
-- login, known or not, so that nothing tells the two apart.
create table svc_login_name (
  name_digest text primary key,
  failures integer not null default 0,
  since timestamptz not null,
  last_time timestamptz not null,
  used_time timestamptz not null,
  sources text[] not null default '{}'
);
create index svc_login_name_used on svc_login_name (used_time);
alter table svc_login_name enable row level security, force row level security;
create policy platform_only on svc_login_name
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));
grant select, insert, update, delete on svc_login_name to svc_app;

-- Accounts of agents that asked for what only people may do. People hear of it once; where the tenant wants that, the
-- account only reads from then on. A person that lifts it deletes the row. A row raises the version of its tenant.
create table svc_agent_hold (
  tenant_id bigint not null,
  principal_id bigint not null,
  principal_name text not null default '',
  place text not null,
  source text not null default '',
  held_flag smallint not null check (held_flag in (0, 1)),
  create_time timestamptz not null default now(),
  primary key (tenant_id, principal_id)
);
call svc_protect('svc_agent_hold');

-- Account security events that go to the notification channels of a tenant: written with what they are about, published
-- after the commit and again until the bus has taken them. Those that were sent are kept for an hour: they bound the next.
create table svc_identity_notice (
  id uuid primary key,
  tenant_id bigint not null,
  kind text not null,
  message text not null,
  occur_time timestamptz not null,
  -- When a process began to publish it last.
  try_time timestamptz not null,
  sent_time timestamptz
);
create index svc_identity_notice_tenant on svc_identity_notice (tenant_id, occur_time);
create index svc_identity_notice_waiting on svc_identity_notice (try_time) where sent_time is null;
call svc_protect('svc_identity_notice');

-- Tables without tenant_id are protected through the row that owns them.
alter table svc_tenant enable row level security, force row level security;
create policy tenant_isolation on svc_tenant
  using (id = (select svc_current_tenant()) or (select svc_is_tenant_free()));
alter table svc_principal enable row level security, force row level security;
create policy tenant_isolation on svc_principal
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_tenant_membership m where m.principal_id = svc_principal.id));
alter table svc_user enable row level security, force row level security;
create policy tenant_isolation on svc_user
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_tenant_membership m where m.principal_id = svc_user.principal_id));
alter table svc_local_credential enable row level security, force row level security;
create policy tenant_isolation on svc_local_credential
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_tenant_membership m where m.principal_id = svc_local_credential.principal_id));
alter table svc_role_resource_bind enable row level security, force row level security;
create policy tenant_isolation on svc_role_resource_bind
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_role r where r.id = svc_role_resource_bind.role_id and r.tenant_id = (select svc_current_tenant())));
create policy built_in_roles on svc_role_resource_bind for select
  using (exists (select 1 from svc_role r where r.id = svc_role_resource_bind.role_id));
alter table svc_resource enable row level security, force row level security;
create policy global_read on svc_resource for select using (true);
create policy platform_write on svc_resource
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));
alter table svc_external_identity enable row level security, force row level security;
create policy tenant_isolation on svc_external_identity
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_identity_provider p where p.id = svc_external_identity.provider_id));
alter table svc_mcp_connection_tool enable row level security, force row level security;
create policy tenant_isolation on svc_mcp_connection_tool
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_mcp_connection c where c.id = svc_mcp_connection_tool.connection_id));

do $$
declare target text;
begin
  foreach target in array array['svc_api', 'svc_menu', 'svc_mcp_tool_catalog'] loop
    execute format('alter table %s enable row level security', target);
    execute format('alter table %s force row level security', target);
    execute format('create policy global_read on %s for select using (true)', target);
    execute format('create policy platform_write on %s
      using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()))', target);
  end loop;
end $$;
grant select, insert, update, delete on svc_tenant, svc_principal, svc_user, svc_local_credential,
  svc_resource, svc_role_resource_bind, svc_oauth_store, svc_external_identity,
  svc_mcp_connection_tool, svc_api, svc_menu, svc_mcp_tool_catalog to svc_app;

-- What happened is only ever added to: the application cannot change it, and its owner not by accident.
revoke update, delete on svc_identity_audit_log, svc_mcp_audit_log from svc_app;
create trigger svc_append_only before update or delete or truncate on svc_identity_audit_log
  for each statement execute function svc_refuse_change();
create trigger svc_append_only before update or delete or truncate on svc_mcp_audit_log
  for each statement execute function svc_refuse_change();

select set_config('svc.tenant_free', 'seed', true);

-- The first of the permission codes; a start adds the others (src/auth/seed.ts).
insert into svc_resource (resource_code, resource_name, service_name)
select code, code, split_part(code, ':', 1)
from unnest(array['svc-center-data:alarm:confirm', 'svc-center-data:event_history:add',
  'svc-center-agentic:attachment:add']) as code;

-- The menu of the web client: page code, route and icon name are that client's, titles are ours. A platform
-- administrator may change or delete the rows; a later start does not bring them back.
create temporary table menu_seed (
  code text, parent text, level smallint, position integer, icon text, url text, en text, zh text
) on commit drop;
insert into menu_seed values
  ('home', null, 1, 1, 'HomeFilled', '/home', 'Home', '首页'),
  ('driver', null, 1, 2, 'Promotion', '/driver', 'Drivers', '驱动'),
  ('profile', null, 1, 3, 'List', '/profile', 'Profiles', '模板'),
  ('device', null, 1, 4, 'Management', '/device', 'Devices', '设备'),
  ('pointValue', null, 1, 5, 'TrendCharts', '/point_value', 'Point values', '位号数据'),
  ('settings', null, 1, 6, 'Setting', '', 'Settings', '设置'),
  ('settingsIdentity', 'settings', 2, 1, 'User', '', 'Identity', '身份'),
  ('settingsUser', 'settingsIdentity', 3, 1, 'User', '/settings/user', 'Users', '用户'),
  ('settingsPrincipal', 'settingsIdentity', 3, 2, 'Avatar', '/settings/principal', 'Principals', '身份主体'),
  ('settingsTenantMembership', 'settingsIdentity', 3, 3, 'OfficeBuilding', '/settings/tenant_membership', 'Tenant members', '租户成员'),
  ('settingsLocalCredential', 'settingsIdentity', 3, 4, 'Lock', '/settings/local_credential', 'Credentials', '登录凭证'),
  ('settingsServiceAccount', 'settingsIdentity', 3, 5, 'Key', '/settings/service_account', 'Service accounts', '服务账号'),
  ('settingsAccess', 'settings', 2, 2, 'Stamp', '', 'Rights', '权限'),
  ('settingsRole', 'settingsAccess', 3, 1, 'Lock', '/settings/role', 'Roles', '角色'),
  ('settingsRolePrincipalBind', 'settingsAccess', 3, 2, 'Link', '/settings/role_principal_bind', 'Role assignments', '角色分配'),
  ('settingsResource', 'settingsAccess', 3, 3, 'Tickets', '/settings/resource', 'Permission codes', '权限资源'),
  ('settingsApi', 'settingsAccess', 3, 4, 'Connection', '/settings/api', 'Endpoints', '接口'),
  ('settingsMenu', 'settingsAccess', 3, 5, 'Discount', '/settings/menu', 'Menu', '菜单'),
  ('settingsSystem', 'settings', 2, 3, 'Collection', '', 'Metadata', '元数据'),
  ('settingsGroup', 'settingsSystem', 3, 1, 'Grid', '/settings/group', 'Groups', '分组'),
  ('settingsLabel', 'settingsSystem', 3, 2, 'CollectionTag', '/settings/label', 'Labels', '标签'),
  ('settingsModel', 'settings', 2, 4, 'Cpu', '', 'Models', '模型'),
  ('settingsModelProvider', 'settingsModel', 3, 1, 'ChatLineSquare', '/settings/model/provider', 'Model providers', '模型供应商'),
  ('settingsModelConfig', 'settingsModel', 3, 2, 'ChatDotRound', '/settings/model/config', 'Model settings', '模型配置'),
  ('settingsIntegration', 'settings', 2, 5, 'Share', '', 'MCP', 'MCP'),
  ('settingsMcpServer', 'settingsIntegration', 3, 1, 'Connection', '/settings/mcp', 'MCP server', 'MCP 服务'),
  ('settingsMcpClient', 'settingsIntegration', 3, 2, 'Ticket', '/settings/mcp/client', 'MCP clients', 'MCP 客户端'),
  ('settingsMcpConnection', 'settingsIntegration', 3, 3, 'Link', '/settings/mcp/connection', 'MCP connections', 'MCP 连接'),
  ('settingsMcpTool', 'settingsIntegration', 3, 4, 'Tools', '/settings/mcp/tool', 'MCP tools', 'MCP 工具'),
  ('settingsAlarm', 'settings', 2, 6, 'AlarmClock', '', 'Alarm settings', '告警配置'),
  ('settingsAlarmRule', 'settingsAlarm', 3, 1, 'SetUp', '/settings/alarm/rule', 'Rules', '告警规则'),
  ('settingsAlarmNotify', 'settingsAlarm', 3, 2, 'Bell', '/settings/alarm/notify', 'Notification policies', '通知策略'),
  ('settingsAlarmMessage', 'settingsAlarm', 3, 3, 'Message', '/settings/alarm/message', 'Message templates', '消息模板'),
  ('settingsAlarmChannel', 'settingsAlarm', 3, 4, 'Connection', '/settings/alarm/channel', 'Channels', '通知渠道'),
  ('settingsAlarmBind', 'settingsAlarm', 3, 5, 'Link', '/settings/alarm/bind', 'Channel bindings', '渠道绑定'),
  ('settingsEventCommand', 'settings', 2, 7, 'Operation', '', 'Operation', '运行'),
  ('settingsAlarmOverview', 'settingsEventCommand', 3, 1, 'DataAnalysis', '/settings/alarm/overview', 'Overview', '概览'),
  ('settingsAlarmState', 'settingsEventCommand', 3, 2, 'Monitor', '/settings/alarm/state', 'Rule states', '规则状态'),
  ('settingsAlarmHistory', 'settingsEventCommand', 3, 3, 'DocumentChecked', '/settings/alarm/history', 'Notification history', '通知历史'),
  ('settingsDriverAlarm', 'settingsEventCommand', 3, 4, 'Promotion', '/settings/alarm/driver', 'Driver alarms', '驱动告警'),
  ('settingsDeviceAlarm', 'settingsEventCommand', 3, 5, 'Management', '/settings/alarm/device', 'Device alarms', '设备告警'),
  ('settingsPointAlarm', 'settingsEventCommand', 3, 6, 'TrendCharts', '/settings/alarm/point', 'Point alarms', '位号告警'),
  ('settingsEventHistory', 'settingsEventCommand', 3, 7, 'Document', '/settings/event/history', 'Event history', '事件历史'),
  ('settingsCommandHistory', 'settingsEventCommand', 3, 8, 'Document', '/settings/command/history', 'Command history', '指令历史'),
  ('settingsAudit', 'settings', 2, 8, 'Files', '', 'Audit', '审计'),
  ('settingsIdentityAudit', 'settingsAudit', 3, 1, 'DocumentChecked', '/settings/identity_audit', 'Identity audit', '身份审计'),
  ('settingsMcpAudit', 'settingsAudit', 3, 2, 'Document', '/settings/mcp_audit', 'MCP audit', 'MCP 审计'),
  ('settingsAbout', 'settings', 2, 9, 'InfoFilled', '/settings/about', 'About', '关于');

-- Parents first: one level after the other.
do $$
begin
  for depth in 1..3 loop
    insert into svc_menu (parent_menu_id, menu_type_flag, menu_name, menu_code, menu_level, menu_index, menu_ext)
    select coalesce(parent.id, 0), case when seed.url = '' then 0 else 1 end, seed.en, seed.code, seed.level,
      seed.position,
      jsonb_build_object('version', 1, 'content', jsonb_build_object(
        'titles', jsonb_build_object('en', seed.en, 'zh', seed.zh), 'icon', seed.icon, 'url', seed.url))
    from menu_seed seed left join svc_menu parent on parent.menu_code = seed.parent
    where seed.level = depth;
  end loop;
end $$;
select set_config('svc.tenant_free', '', true);

-- The names of a principal, in every tenant it is a member of.
create function svc_keep_names(who bigint) returns void language plpgsql as $$
declare
  before text := current_setting('svc.tenant_free', true);
begin
  perform set_config('svc.tenant_free', 'names', true);
  -- A membership and a login that come at once must see each other.
  perform 1 from svc_principal where id = who for update;
  delete from svc_tenant_name where principal_id = who;
  insert into svc_tenant_name (tenant_id, kind, name, principal_id)
    select m.tenant_id, n.kind, n.name, who
    from svc_tenant_membership m cross join (
      select 'LOGIN' as kind, login_name_normalized as name from svc_local_credential where principal_id = who
      union all
      select 'USER', user_name from svc_user where principal_id = who) n
    where m.principal_id = who
    order by m.tenant_id, n.kind;
  perform set_config('svc.tenant_free', coalesce(before, ''), true);
end $$;

create function svc_names_changed() returns trigger language plpgsql as $$
begin
  if tg_op <> 'INSERT' then perform svc_keep_names(old.principal_id); end if;
  if tg_op <> 'DELETE' then perform svc_keep_names(new.principal_id); end if;
  return null;
end $$;
create trigger svc_keep_names after insert or delete or update of login_name_normalized, principal_id
  on svc_local_credential for each row execute function svc_names_changed();
create trigger svc_keep_names after insert or delete or update of user_name, principal_id
  on svc_user for each row execute function svc_names_changed();
create trigger svc_keep_names after insert or delete or update of tenant_id, principal_id
  on svc_tenant_membership for each row execute function svc_names_changed();
