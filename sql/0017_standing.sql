-- What the platform could not hear is not silence: since when it hears what drivers say of their devices
-- (kind state) and report of their points (kind value). Of all tenants, as the bus is.
create table svc_listening (
  kind text primary key,
  -- The last time that a consumer could take a message and store it.
  alive_time timestamptz not null,
  -- Since when that was so without a break.
  since_time timestamptz not null,
  -- Set while it is not so: leases are judged as of then.
  paused_time timestamptz
);
alter table svc_listening enable row level security;
alter table svc_listening force row level security;
create policy global_read on svc_listening for select using (true);
create policy platform_write on svc_listening
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));
grant select, insert, update on svc_listening to svc_app;

-- Messages of the in-process bus that no consumer could take, for a replay. Of all tenants: for the
-- operators of the platform only.
create table svc_dead_letter (
  id bigint generated always as identity primary key,
  topic text not null,
  queue text not null,
  key text not null,
  message_id text not null,
  reason text not null,
  payload text not null,
  create_time timestamptz not null
);
alter table svc_dead_letter enable row level security;
alter table svc_dead_letter force row level security;
create policy platform_only on svc_dead_letter
  using ((select svc_is_tenant_free())) with check ((select svc_is_tenant_free()));
grant select, insert, delete on svc_dead_letter to svc_app;
