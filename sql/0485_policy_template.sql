--! compatible
-- The message template of alarms without a rule, which has one itself; 0: the platform's words.
alter table svc_notify add column message_id bigint not null default 0;
