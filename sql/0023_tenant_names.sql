-- Login and user names are a tenant's own: whether a name is taken elsewhere cannot be seen, and two tenants may have
-- the same. A person of several tenants has one name, which is taken in each of them.
alter table svc_local_credential
  drop constraint svc_local_credential_credential_type_login_name_normalized_key;
create index svc_local_credential_login on svc_local_credential (login_name_normalized);
alter table svc_user drop constraint svc_user_user_name_key;
create index svc_user_name on svc_user (user_name);

-- What is taken; kept by the triggers below.
create table svc_tenant_name (
  tenant_id bigint not null,
  kind text not null check (kind in ('LOGIN', 'USER')),
  name text not null,
  principal_id bigint not null,
  constraint svc_tenant_name_name_key unique (tenant_id, kind, name)
);
create index svc_tenant_name_principal on svc_tenant_name (principal_id);
call svc_protect('svc_tenant_name');

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

do $$
begin
  perform set_config('svc.tenant_free', 'names', true);
  perform svc_keep_names(id) from svc_principal;
  perform set_config('svc.tenant_free', '', true);
end $$;
