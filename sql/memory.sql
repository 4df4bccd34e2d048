-- The exact messages of past turns, tool calls and results included (AGENTIC_MEMORY_ENABLED). Not one
-- of the numbered files: AGENTIC_MEMORY_SCHEMA_INIT says whether it runs. Safe to run again.

create table if not exists svc_chat_memory (
  id bigint generated always as identity primary key,
  conversation_id text not null,
  -- svc_message.message_index of the question that began the turn.
  turn_index bigint not null,
  messages jsonb not null,
  message_count int not null check (message_count > 0),
  tenant_id bigint not null,
  user_id bigint not null,
  create_time timestamptz not null default now(),
  unique (tenant_id, user_id, conversation_id, turn_index)
);

drop policy if exists tenant_isolation on svc_chat_memory;
call svc_protect('svc_chat_memory');
