-- The change log only grows, for its owner too, as the other records of what happened do.
create trigger svc_append_only before update or delete or truncate on svc_change_log
  for each statement execute function svc_refuse_change();

-- The network address a row's call came from, where there is one; the transaction says it (src/db/actor.ts).
create function svc_actor_source() returns text language sql stable as $$
  select coalesce(nullif(current_setting('svc.actor', true), '')::jsonb ->> 'source', '')
$$;
alter table svc_identity_audit_log add column source text not null default '';
alter table svc_identity_audit_log alter column source set default svc_actor_source();
alter table svc_change_log add column source text not null default '';
alter table svc_change_log alter column source set default svc_actor_source();

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
