-- Texts of devices and users that are more than a name, and that a model has read: a proposal that it makes afterwards
-- says so on its card. Kept for an hour after they were read last, for a conversation as long as its history counts.
create table svc_heard_text (
  tenant_id bigint not null,
  user_id bigint not null,
  -- What acts for the principal: the OAuth client, the key's prefix, or the conversation.
  client_id text not null,
  -- SHA-256 of tool, field and text.
  digest text not null,
  tool text not null,
  field text not null,
  -- Device and point of the record that it was in; empty for others.
  subject text not null,
  text text not null,
  read_time timestamptz not null,
  expire_time timestamptz not null,
  primary key (tenant_id, user_id, client_id, digest)
);
call svc_protect('svc_heard_text');
create index svc_heard_text_expire_time on svc_heard_text (expire_time);
