-- The assistant: conversations, proposals to be confirmed by a human, model providers.

create table svc_session (
  id bigint generated always as identity primary key,
  conversation_id text not null,
  title text not null default '',
  session_ext jsonb not null default '{}',
  tenant_id bigint not null,
  user_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  -- A conversation belongs to its user: another user's id is free, so that a probe learns nothing.
  unique (tenant_id, user_id, conversation_id)
);
create index svc_session_user on svc_session (tenant_id, user_id, operate_time desc);

create table svc_message (
  id bigint generated always as identity primary key,
  conversation_id text not null,
  message_index bigint not null,
  role text not null check (role in ('user', 'assistant')),
  content jsonb not null,
  model text not null default '',
  -- 0 OK, 1 UNFINISHED
  status smallint not null default 0 check (status between 0 and 1),
  tenant_id bigint not null,
  user_id bigint not null,
  create_time timestamptz not null default now(),
  unique (tenant_id, user_id, conversation_id, message_index)
);

create table svc_action (
  id bigint generated always as identity primary key,
  action_id uuid not null unique,
  tenant_id bigint not null,
  -- Who proposed: principal, by which way, for which client or conversation.
  user_id bigint not null,
  user_name text not null default '',
  proposed_via text not null,
  client_id text not null default '',
  conversation_id text not null default '',
  tool_call_id text not null default '',
  action_type text not null default 'writePointValue',
  title text not null default '',
  description text not null default '',
  device_id bigint not null,
  point_id bigint not null,
  -- The frozen card: exactly what the human is shown and what will be written.
  payload jsonb not null,
  digest text not null,
  -- 0 PENDING 1 CONFIRMED 2 REJECTED 3 EXECUTED 4 FAILED 5 EXPIRED 6 CANCELLED 7 PARTIALLY_CONFIRMED
  status smallint not null default 0 check (status between 0 and 7),
  expire_time timestamptz not null,
  decided_by bigint not null default 0,
  decided_name text not null default '',
  decided_time timestamptz,
  comment text not null default '',
  command_id uuid,
  create_time timestamptz not null default now(),
  operate_time timestamptz not null default now()
);
create index svc_action_tenant on svc_action (tenant_id, create_time desc);
create index svc_action_open on svc_action (expire_time) where status = 0;
create index svc_action_running on svc_action (operate_time) where status = 1;
create index svc_action_command on svc_action (command_id) where command_id is not null;
create index svc_action_conversation on svc_action (tenant_id, conversation_id);

create table svc_model_provider (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  name text not null,
  provider_type smallint not null check (provider_type between 0 and 1),
  base_url text not null default '',
  model text not null default '',
  -- AES-256-GCM, bound to tenant and row
  api_key text not null default '',
  default_flag smallint not null default 0 check (default_flag between 0 and 1),
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, name)
);

call svc_protect('svc_session');
call svc_protect('svc_message');
call svc_protect('svc_action');
call svc_protect('svc_model_provider');
