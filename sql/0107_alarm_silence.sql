-- Until when the notifications of one rule at one place, or of one outage, are held back by a person.
alter table svc_rule_state
  add column silenced_until timestamptz,
  add column silenced_by text not null default '',
  add column silence_reason text not null default '';
create index svc_rule_state_silenced on svc_rule_state (silenced_until) where silenced_until is not null;
