--! compatible
-- The person that looks after an alarm, named as it was then; 0: nobody yet.
alter table svc_entity_alarm
  add column assignee_id bigint not null default 0,
  add column assignee_name text not null default '';
create index svc_entity_alarm_assignee on svc_entity_alarm (tenant_id, assignee_id) where assignee_id <> 0;

-- What people write about an alarm; rows are never changed.
create table svc_alarm_comment (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  alarm_id bigint not null,
  comment_text text not null,
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now()
);
create index svc_alarm_comment_alarm on svc_alarm_comment (tenant_id, alarm_id, id);
call svc_protect('svc_alarm_comment');
