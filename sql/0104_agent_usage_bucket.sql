-- Finds what counts no more, also of connections and principals that are used no more.
create index svc_agent_usage_bucket on svc_agent_usage (bucket);
