-- Whether people of a tenant may approve writes beforehand; no row: they may not.
create table svc_approval_switch (
  tenant_id bigint primary key,
  is_on boolean not null,
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
call svc_protect('svc_approval_switch');

-- Writes of one agent that a person approved beforehand. The card says which; it never changes.
create table svc_standing_approval (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  approval_id uuid not null unique,
  agent_id bigint not null,
  -- Empty: whatever client the agent uses.
  client_id text not null default '',
  maker_id bigint not null,
  maker_name text not null,
  card jsonb not null,
  digest text not null,
  until_time timestamptz not null,
  max_uses integer not null check (max_uses > 0),
  used integer not null default 0 check (used between 0 and max_uses),
  -- Why it ended before its time.
  ended text not null default '' check (ended in ('', 'REVOKED', 'VOID')),
  ended_name text not null default '',
  ended_why text not null default '',
  ended_time timestamptz,
  create_time timestamptz not null
);
call svc_protect('svc_standing_approval');
create index svc_standing_approval_agent on svc_standing_approval (tenant_id, agent_id, until_time) where ended = '';
create index svc_standing_approval_list on svc_standing_approval (tenant_id, id desc);

-- Each decision by a standing approval.
create table svc_standing_use (
  tenant_id bigint not null,
  approval_id uuid not null,
  action_id uuid not null,
  device_id bigint not null,
  point_id bigint not null,
  use_time timestamptz not null,
  primary key (tenant_id, approval_id, action_id)
);
call svc_protect('svc_standing_use');
create index svc_standing_use_point on svc_standing_use (tenant_id, approval_id, point_id, use_time);

-- Of an action that was decided so: the approval, and how many uses it had left.
alter table svc_action add column approval_id uuid;
alter table svc_action add column approval_left integer;
