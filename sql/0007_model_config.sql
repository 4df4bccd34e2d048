-- One model of a provider, as a tenant offers it in the chat.
create table svc_model_config (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  provider_id bigint not null,
  model text not null,
  label text not null default '',
  stream boolean not null default true,
  tool_call boolean not null default true,
  vision boolean not null default false,
  reasoning boolean not null default false,
  temperature double precision not null default 0.7 check (temperature between 0 and 2),
  max_tokens integer not null default 2048 check (max_tokens >= 1),
  default_flag smallint not null default 0 check (default_flag between 0 and 1),
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, model)
);
create index svc_model_config_provider on svc_model_config (tenant_id, provider_id);

call svc_protect('svc_model_config');
