-- Answers by their text: a chat client that resends a conversation sends back what the platform answered, and the
-- conversations in which it was said are found by it (src/agentic/session/message.ts has the same expression).
create index svc_message_said on svc_message (tenant_id, user_id, md5(btrim(content ->> 'text', E' \t\r\n')))
  where role = 'assistant';
