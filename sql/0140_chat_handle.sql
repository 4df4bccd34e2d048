-- What clients of the chat come back with, in place of a conversation id: the id of a call that they run themselves, with
-- the steps of its turn; the id of a response; an answer that was given without a conversation.
create table svc_chat_handle (
  tenant_id bigint not null,
  user_id bigint not null,
  -- `call:`, `resp:` or `said:`, and the id, or the MD5 of the answer.
  handle text not null,
  conversation_id text not null,
  state jsonb,
  create_time timestamptz not null,
  expire_time timestamptz not null,
  primary key (tenant_id, user_id, handle, conversation_id)
);
call svc_protect('svc_chat_handle');
create index svc_chat_handle_expire_time on svc_chat_handle (expire_time);
