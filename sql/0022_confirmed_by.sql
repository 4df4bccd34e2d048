-- The name of the person who confirmed an alarm, as it was then.
alter table svc_entity_alarm add column confirm_user_name text;
