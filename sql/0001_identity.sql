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
  unique (principal_id),
  unique (user_name)
);

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
  unique (credential_type, login_name_normalized),
  unique (principal_id, credential_type)
);

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

-- What the authorization server keeps (grants, codes, tokens, sessions), found by secret id only.
create table svc_oauth_store (
  kind text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  user_code text,
  expires_at timestamptz,
  primary key (kind, id)
);
create index svc_oauth_store_grant on svc_oauth_store (grant_id) where grant_id is not null;
create index svc_oauth_store_uid on svc_oauth_store (kind, uid) where uid is not null;
create index svc_oauth_store_expiry on svc_oauth_store (expires_at);

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
  create_time timestamptz not null default now()
);
create index svc_identity_audit_log_time on svc_identity_audit_log (tenant_id, create_time desc);

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
  unique (tenant_id, principal_id, client_id, connection_name)
);

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

call svc_protect('svc_identity_provider');
call svc_protect('svc_mcp_connection');
call svc_protect('svc_mcp_audit_log');
call svc_protect('svc_tenant_membership');
call svc_protect('svc_service_account');
call svc_protect('svc_role_principal_bind');
call svc_protect('svc_token_revocation');
call svc_protect('svc_oauth_client');
call svc_protect('svc_identity_audit_log');
call svc_protect('svc_role');
create policy built_in_roles on svc_role for select using (tenant_id = 0);

-- Tables without tenant_id are protected through the row that owns them.
alter table svc_tenant enable row level security;
alter table svc_tenant force row level security;
create policy tenant_isolation on svc_tenant
  using (id = (select svc_current_tenant()) or (select svc_is_tenant_free()));

alter table svc_principal enable row level security;
alter table svc_principal force row level security;
create policy tenant_isolation on svc_principal
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_tenant_membership m where m.principal_id = svc_principal.id));

alter table svc_user enable row level security;
alter table svc_user force row level security;
create policy tenant_isolation on svc_user
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_tenant_membership m where m.principal_id = svc_user.principal_id));

alter table svc_local_credential enable row level security;
alter table svc_local_credential force row level security;
create policy tenant_isolation on svc_local_credential
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_tenant_membership m where m.principal_id = svc_local_credential.principal_id));

alter table svc_role_resource_bind enable row level security;
alter table svc_role_resource_bind force row level security;
create policy tenant_isolation on svc_role_resource_bind
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_role r where r.id = svc_role_resource_bind.role_id and r.tenant_id = (select svc_current_tenant())));
create policy built_in_roles on svc_role_resource_bind for select
  using (exists (select 1 from svc_role r where r.id = svc_role_resource_bind.role_id));

alter table svc_resource enable row level security;
alter table svc_resource force row level security;
create policy global_read on svc_resource for select using (true);
create policy platform_write on svc_resource
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));

alter table svc_external_identity enable row level security;
alter table svc_external_identity force row level security;
create policy tenant_isolation on svc_external_identity
  using ((select svc_is_tenant_free())
    or exists (select 1 from svc_identity_provider p where p.id = svc_external_identity.provider_id));

alter table svc_mcp_connection_tool enable row level security;
alter table svc_mcp_connection_tool force row level security;
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

alter table svc_oauth_store enable row level security;
alter table svc_oauth_store force row level security;
create policy platform_only on svc_oauth_store
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));

grant select, insert, update, delete on svc_tenant, svc_principal, svc_user, svc_local_credential,
  svc_resource, svc_role_resource_bind, svc_oauth_store, svc_external_identity,
  svc_mcp_connection_tool, svc_api, svc_menu, svc_mcp_tool_catalog to svc_app;
