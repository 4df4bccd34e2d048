--! compatible
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
alter table svc_login_name enable row level security;
alter table svc_login_name force row level security;
create policy platform_only on svc_login_name
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));
grant select, insert, update, delete on svc_login_name to svc_app;
