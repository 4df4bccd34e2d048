-- What the person that confirmed an alarm had to say about it.
alter table svc_entity_alarm add column confirm_note text not null default '';
