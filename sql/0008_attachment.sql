-- Attachments of conversations, and the end of an action told back into its conversation.

create table svc_attachment (
  id bigint generated always as identity primary key,
  conversation_id text not null,
  file_name text not null,
  content_type text not null,
  size bigint not null check (size between 1 and 10485760),
  -- Of the bytes, in hex.
  sha256 text not null,
  -- Below the storage directory.
  file_path text not null unique,
  tenant_id bigint not null,
  user_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
create index svc_attachment_conversation on svc_attachment (tenant_id, user_id, conversation_id);

call svc_protect('svc_attachment');

-- Set on the message that tells what became of an action: at most one for each.
alter table svc_message add column action_id uuid;
create unique index svc_message_receipt on svc_message (action_id) where action_id is not null;

-- Whether its end was told in its conversation. The actions of before count as told: their ends are
-- no news, and a message late by weeks would stand in the wrong place.
alter table svc_action add column told boolean not null default true;
alter table svc_action alter column told set default false;
create index svc_action_untold on svc_action (operate_time) where not told and status in (2, 3, 4, 5, 6);
