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
  password_updated_time timestamptz,
  password_expire_time timestamptz,
  failed_attempts integer not null default 0,
  last_failed_time timestamptz,
  require_password_change smallint not null default 1 check (require_password_change in (0, 1)),
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
-- A service account belongs to exactly one tenant (SPEC.md, svc_principal).
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

-- A resource is a permission code (SPEC.md, svc_resource).
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

-- Tokens of the pair issued at or before this moment are refused (SPEC.md, Login rules 6).
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

alter table svc_oauth_store enable row level security;
alter table svc_oauth_store force row level security;
create policy platform_only on svc_oauth_store
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));

grant select, insert, update, delete on svc_tenant, svc_principal, svc_user, svc_local_credential,
  svc_resource, svc_role_resource_bind, svc_oauth_store to svc_app;
