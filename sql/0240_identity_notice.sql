--! compatible
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
