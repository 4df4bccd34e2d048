-- What every turn of a tenant needs and seldom changes (its models, and whether it has budgets) is kept in memory at the
-- version of the tenant (src/agentic/provider/tenant-facts.ts); a change of it raises that.
create constraint trigger svc_version after insert or update or delete on svc_model_provider
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');
create constraint trigger svc_version after insert or update or delete on svc_model_config
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');
create constraint trigger svc_version after insert or update or delete on svc_chat_budget
  deferrable initially deferred for each row execute function svc_raise_version('members', 'tenant');
