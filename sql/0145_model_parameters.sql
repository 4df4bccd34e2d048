-- Of a provider: how long its answers may take, and what its refusals have shown about each of its models:
-- {"<model>": {"rename": {...}, "drop": [...]}}.
alter table svc_model_provider
  add column timeouts jsonb not null default '{}' check (jsonb_typeof(timeouts) = 'object'),
  add column learned jsonb not null default '{}' check (jsonb_typeof(learned) = 'object');

alter table svc_model_config
  -- {"add": {...}, "rename": {...}, "drop": [...]} of the fields of a request.
  add column parameters jsonb not null default '{}' check (jsonb_typeof(parameters) = 'object'),
  -- {"prompt", "cached", "completion"} as decimals for a million tokens, and "currency"; {} is not known.
  add column price jsonb not null default '{}' check (jsonb_typeof(price) = 'object'),
  -- Its place among the models that are asked when another one does not answer; 0: it is not.
  add column fallback_order smallint not null default 0 check (fallback_order between 0 and 99);
