-- An edited question and a second answer each begin a branch of their conversation; one branch goes on. The turn of a
-- message names it to a client whose stream broke.
alter table svc_message
  -- message_index of the message before it; 0: none; null: the one stored before it (older messages).
  add column parent_index bigint,
  add column on_branch boolean not null default true,
  add column turn_id text;
create unique index svc_message_turn on svc_message (tenant_id, user_id, turn_id, role) where turn_id is not null;
