--! baseline
-- The assistant: conversations, proposals to be confirmed by a human, model providers.
create table svc_session (
  id bigint generated always as identity primary key,
  conversation_id text not null,
  title text not null default '',
  session_ext jsonb not null default '{}',
  tenant_id bigint not null,
  user_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  -- A conversation belongs to its user: another user's id is free, so that a probe learns nothing.
  unique (tenant_id, user_id, conversation_id)
);
create index svc_session_user on svc_session (tenant_id, user_id, operate_time desc);
call svc_protect('svc_session');

create table svc_message (
  id bigint generated always as identity primary key,
  conversation_id text not null,
  message_index bigint not null,
  role text not null check (role in ('user', 'assistant')),
  content jsonb not null,
  model text not null default '',
  -- 0 OK, 1 UNFINISHED
  status smallint not null default 0 check (status between 0 and 1),
  tenant_id bigint not null,
  user_id bigint not null,
  create_time timestamptz not null default now(),
  -- Set on the messages that tell what became of an action: at most one for each step.
  action_id uuid,
  -- An end that stays open has more than one message: how it ended (0), what was read (1), its proof (2).
  action_step smallint not null default 0 check (action_step between 0 and 2),
  -- message_index of the message before it; 0: none; null: the one stored before it (older messages).
  parent_index bigint,
  -- An edited question and a second answer each begin a branch of their conversation; one branch goes on.
  on_branch boolean not null default true,
  -- Names the message to a client whose stream broke.
  turn_id text,
  unique (tenant_id, user_id, conversation_id, message_index)
);
create unique index svc_message_receipt on svc_message (action_id, action_step)
  where action_id is not null;
-- Answers by their text: a chat client that resends a conversation sends back what the platform answered, and the
-- conversations in which it was said are found by it (src/agentic/session/message.ts has the same expression).
create index svc_message_said on svc_message (tenant_id, user_id, md5(btrim(content ->> 'text', E' \t\r\n')))
  where role = 'assistant';
create unique index svc_message_turn on svc_message (tenant_id, user_id, turn_id, role) where turn_id is not null;
call svc_protect('svc_message');

create table svc_action (
  id bigint generated always as identity primary key,
  action_id uuid not null unique,
  tenant_id bigint not null,
  -- Who proposed: principal, by which way, for which client or conversation.
  user_id bigint not null,
  user_name text not null default '',
  proposed_via text not null,
  client_id text not null default '',
  conversation_id text not null default '',
  tool_call_id text not null default '',
  action_type text not null default 'writePointValue',
  title text not null default '',
  description text not null default '',
  device_id bigint not null,
  point_id bigint not null,
  -- The frozen card: exactly what the human is shown and what will be written.
  payload jsonb not null,
  digest text not null,
  -- 0 PENDING 1 CONFIRMED 2 REJECTED 3 EXECUTED 4 FAILED 5 EXPIRED 6 WITHDRAWN 7 PARTIALLY_CONFIRMED 8 UNKNOWN 9 MISMATCH
  status smallint not null default 0 check (status between 0 and 9),
  expire_time timestamptz not null,
  decided_by bigint not null default 0,
  decided_name text not null default '',
  decided_time timestamptz,
  comment text not null default '',
  command_id uuid,
  create_time timestamptz not null default now(),
  operate_time timestamptz not null default now(),
  -- Whether its end was told in its conversation. The actions of before count as told: their ends are
  -- no news, and a message late by weeks would stand in the wrong place.
  told boolean not null default false,
  -- Set once the card shown first is no longer the one that counts: from then on a decision names its digest.
  digest_required boolean not null default false,
  -- Of an action that was decided so: the approval, and how many uses it had left.
  approval_id uuid,
  approval_left integer
);
create index svc_action_open on svc_action (expire_time) where status = 0;
create index svc_action_running on svc_action (operate_time) where status = 1;
create index svc_action_command on svc_action (command_id) where command_id is not null;
create index svc_action_conversation on svc_action (tenant_id, conversation_id);
create index svc_action_untold on svc_action (operate_time)
  where not told and status in (2, 3, 4, 5, 6, 8, 9);
-- Every card names the other writes of its point.
create index svc_action_place on svc_action (tenant_id, device_id, point_id) where status = 0;
-- The proposals of one principal, and those of a tenant in their order.
create index svc_action_proposer on svc_action (tenant_id, user_id, create_time desc, id desc);
create index svc_action_newest on svc_action (tenant_id, create_time desc, id desc);
-- A card names an equal proposal that was rejected for its point.
create index svc_action_rejected on svc_action (tenant_id, device_id, point_id, decided_time) where status = 2;
call svc_protect('svc_action');

create table svc_model_provider (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  name text not null,
  provider_type smallint not null check (provider_type between 0 and 1),
  base_url text not null default '',
  model text not null default '',
  -- AES-256-GCM, bound to tenant and row
  api_key text not null default '',
  default_flag smallint not null default 0 check (default_flag between 0 and 1),
  enable_flag smallint not null default 0 check (enable_flag in (0, 1)),
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  -- Of a provider: how long its answers may take, and what its refusals have shown about each of its models:
  -- {"<model>": {"rename": {...}, "drop": [...]}}.
  timeouts jsonb not null default '{}' check (jsonb_typeof(timeouts) = 'object'),
  learned jsonb not null default '{}' check (jsonb_typeof(learned) = 'object'),
  unique (tenant_id, name)
);
call svc_protect('svc_model_provider');

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
  -- {"add": {...}, "rename": {...}, "drop": [...]} of the fields of a request.
  parameters jsonb not null default '{}' check (jsonb_typeof(parameters) = 'object'),
  -- {"prompt", "cached", "completion"} as decimals for a million tokens, and "currency"; {} is not known.
  price jsonb not null default '{}' check (jsonb_typeof(price) = 'object'),
  -- Its place among the models that are asked when another one does not answer; 0: it is not.
  fallback_order smallint not null default 0 check (fallback_order between 0 and 99),
  unique (tenant_id, model)
);
create index svc_model_config_provider on svc_model_config (tenant_id, provider_id);
call svc_protect('svc_model_config');

-- Attachments of conversations.
create table svc_attachment (
  id bigint generated always as identity primary key,
  conversation_id text not null,
  file_name text not null,
  content_type text not null,
  size bigint not null check (size between 1 and 10485760),
  -- Of the bytes, in hex.
  sha256 text not null,
  -- Below the storage directory.
  file_path text not null unique,
  tenant_id bigint not null,
  user_id bigint not null,
  remark text not null default '',
  creator_id bigint not null default 0,
  creator_name text not null default '',
  create_time timestamptz not null default now(),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
create index svc_attachment_conversation on svc_attachment (tenant_id, user_id, conversation_id);
call svc_protect('svc_attachment');

-- Keys that an agent gives with its proposals, kept for a day: the same key with the same arguments is the same action,
-- whatever became of it.
create table svc_action_key (
  tenant_id bigint not null,
  user_id bigint not null,
  tool text not null,
  key text not null,
  -- SHA-256 of the arguments.
  arguments text not null,
  action_id uuid not null,
  create_time timestamptz not null,
  primary key (tenant_id, user_id, tool, key)
);
create index svc_action_key_create_time on svc_action_key (create_time);
call svc_protect('svc_action_key');

-- The writes of a proposal of several, in their order. A step has a command once its turn has come, and the action has the
-- command of the last such step.
create table svc_action_step (
  tenant_id bigint not null,
  action_id uuid not null,
  step smallint not null check (step between 1 and 20),
  device_id bigint not null,
  point_id bigint not null,
  -- At most one, so no step is sent twice.
  command_id uuid unique,
  -- Why the action stopped before this step, which then has no command.
  refusal text not null default '',
  primary key (tenant_id, action_id, step),
  unique (tenant_id, action_id, device_id, point_id)
);
-- A card names the other proposals for its points.
create index svc_action_step_place on svc_action_step (tenant_id, device_id, point_id);
call svc_protect('svc_action_step');

-- Texts of devices and users that are more than a name, and that a model has read: a proposal that it makes afterwards
-- says so on its card. Kept for an hour after they were read last, for a conversation as long as its history counts.
create table svc_heard_text (
  tenant_id bigint not null,
  user_id bigint not null,
  -- What acts for the principal: the OAuth client, the key's prefix, or the conversation.
  client_id text not null,
  -- SHA-256 of tool, field and text.
  digest text not null,
  tool text not null,
  field text not null,
  -- Device and point of the record that it was in; empty for others.
  subject text not null,
  text text not null,
  read_time timestamptz not null,
  expire_time timestamptz not null,
  primary key (tenant_id, user_id, client_id, digest)
);
create index svc_heard_text_expire_time on svc_heard_text (expire_time);
call svc_protect('svc_heard_text');

-- Whether people of a tenant may approve writes beforehand; no row: they may not.
create table svc_approval_switch (
  tenant_id bigint primary key,
  is_on boolean not null,
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now()
);
call svc_protect('svc_approval_switch');

-- Writes of one agent that a person approved beforehand. The card says which; it never changes.
create table svc_standing_approval (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  approval_id uuid not null unique,
  agent_id bigint not null,
  -- Empty: whatever client the agent uses.
  client_id text not null default '',
  maker_id bigint not null,
  maker_name text not null,
  card jsonb not null,
  digest text not null,
  until_time timestamptz not null,
  max_uses integer not null check (max_uses > 0),
  used integer not null default 0 check (used between 0 and max_uses),
  -- Why it ended before its time.
  ended text not null default '' check (ended in ('', 'REVOKED', 'VOID')),
  ended_name text not null default '',
  ended_why text not null default '',
  ended_time timestamptz,
  create_time timestamptz not null
);
create index svc_standing_approval_agent on svc_standing_approval (tenant_id, agent_id, until_time) where ended = '';
create index svc_standing_approval_list on svc_standing_approval (tenant_id, id desc);
call svc_protect('svc_standing_approval');

-- Each decision by a standing approval.
create table svc_standing_use (
  tenant_id bigint not null,
  approval_id uuid not null,
  action_id uuid not null,
  device_id bigint not null,
  point_id bigint not null,
  use_time timestamptz not null,
  primary key (tenant_id, approval_id, action_id)
);
create index svc_standing_use_point on svc_standing_use (tenant_id, device_id, point_id, use_time);
call svc_protect('svc_standing_use');

-- What clients of the chat come back with, in place of a conversation id: the id of a call that they run themselves, with
-- the steps of its turn; the id of a response; an answer that was given without a conversation.
create table svc_chat_handle (
  tenant_id bigint not null,
  user_id bigint not null,
  -- `call:`, `resp:` or `said:`, and the id, or the MD5 of the answer.
  handle text not null,
  conversation_id text not null,
  state jsonb,
  create_time timestamptz not null,
  expire_time timestamptz not null,
  primary key (tenant_id, user_id, handle, conversation_id)
);
create index svc_chat_handle_expire_time on svc_chat_handle (expire_time);
call svc_protect('svc_chat_handle');

-- One row for each request to a model: what it used and cost, and how long it took.
create table svc_chat_step (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  turn_id text not null,
  step integer not null,
  conversation_id text not null default '',
  user_id bigint not null,
  user_name text not null default '',
  -- The prefix of a key or the id of an OAuth client; '' of a login.
  client_id text not null default '',
  -- Of several people behind one key, as the program names them.
  end_user text not null default '',
  provider text not null,
  model text not null,
  prompt_tokens bigint not null,
  completion_tokens bigint not null,
  cached_tokens bigint not null,
  reasoning_tokens bigint not null,
  estimated boolean not null,
  -- Null: the model has no price.
  cost numeric(20, 9),
  currency text not null default '',
  first_token_ms integer,
  duration_ms integer not null,
  -- 0 answered, 1 failed, 2 left before its end.
  ended smallint not null check (ended in (0, 1, 2)),
  reason text not null default '',
  -- Answers that said that something was done, of which no receipt says so.
  false_claims smallint not null default 0,
  create_time timestamptz not null
);
create index svc_chat_step_time on svc_chat_step (tenant_id, create_time desc, id desc);
create index svc_chat_step_old on svc_chat_step (create_time);
call svc_protect('svc_chat_step');

create table svc_chat_budget (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  kind text not null check (kind in ('tenant', 'person', 'key', 'end_user')),
  -- '' is each one of the kind by itself, unless it has a budget of its own.
  subject text not null default '' check (char_length(subject) <= 200),
  unit text not null check (unit in ('tokens', 'cost')),
  currency text not null default '',
  period text not null check (period in ('hour', 'day', 'month')),
  amount numeric(20, 9) not null check (amount > 0),
  operator_id bigint not null default 0,
  operator_name text not null default '',
  operate_time timestamptz not null default now(),
  unique (tenant_id, kind, subject, unit, currency, period)
);
call svc_protect('svc_chat_budget');

-- What is used and held back of a budget in one period.
create table svc_chat_budget_use (
  tenant_id bigint not null,
  budget_id bigint not null,
  subject text not null,
  begins timestamptz not null,
  used numeric(20, 9) not null default 0,
  reserved numeric(20, 9) not null default 0,
  primary key (tenant_id, budget_id, subject, begins)
);
create index svc_chat_budget_use_old on svc_chat_budget_use (begins);
call svc_protect('svc_chat_budget_use');

-- What a turn holds back, until it settles or `expire_time`: a process that ended in the middle of it does not settle.
create table svc_chat_budget_hold (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  budget_id bigint not null,
  subject text not null,
  begins timestamptz not null,
  amount numeric(20, 9) not null,
  expire_time timestamptz not null
);
create index svc_chat_budget_hold_use on svc_chat_budget_hold (tenant_id, budget_id, subject, begins, expire_time);
create index svc_chat_budget_hold_old on svc_chat_budget_hold (expire_time);
call svc_protect('svc_chat_budget_hold');

-- Origins of web pages that a tenant lets call the chat from a browser.
create table svc_chat_origin (
  id bigint generated always as identity primary key,
  tenant_id bigint not null,
  origin text not null,
  unique (tenant_id, origin)
);
call svc_protect('svc_chat_origin');

-- Holds back what a turn may use of every budget that it comes under, in the order of their ids, and answers what was
-- held back; `for_real` false: only looks. Raises SV004 where one is used up, SV005 where a budget in money meets a model
-- without a price; nothing is held back then. The rows stay locked until the end of the transaction, so that
-- concurrent turns count each other.
create function svc_reserve_budget(
  tenant bigint, subjects jsonb, tokens numeric, costs jsonb, at timestamptz, zone text, for_real boolean
) returns jsonb language plpgsql as $$
declare
  b svc_chat_budget;
  holder text;
  start timestamptz;
  wanted numeric;
  present record;
  held jsonb := '[]';
  hold bigint;
begin
  for b in
    select * from svc_chat_budget s
    where s.tenant_id = tenant
      and (s.kind = 'tenant' or s.subject = subjects ->> s.kind
        or (s.subject = '' and subjects ->> s.kind <> '' and not exists (
          select from svc_chat_budget o where o.tenant_id = tenant and o.kind = s.kind and o.unit = s.unit
            and o.period = s.period and o.currency = s.currency and o.subject = subjects ->> s.kind)))
    order by s.id
  loop
    holder := case when b.kind = 'tenant' then '' else subjects ->> b.kind end;
    start := date_trunc(b.period, at, zone);
    wanted := case when b.unit = 'tokens' then tokens else (costs ->> b.currency)::numeric end;
    if not for_real then
      wanted := 0.000000001;
    elsif wanted is null then
      raise exception using errcode = 'SV005', message = b.currency;
    end if;
    if for_real then
      insert into svc_chat_budget_use as u (tenant_id, budget_id, subject, begins)
      values (tenant, b.id, holder, start)
      on conflict (tenant_id, budget_id, subject, begins) do update set used = u.used;
      with gone as (
        delete from svc_chat_budget_hold h
        where h.tenant_id = tenant and h.budget_id = b.id and h.subject = holder and h.begins = start
          and h.expire_time <= at
        returning h.amount)
      update svc_chat_budget_use u
      set reserved = greatest(0, u.reserved - (select coalesce(sum(g.amount), 0) from gone g))
      where u.tenant_id = tenant and u.budget_id = b.id and u.subject = holder and u.begins = start
      returning u.used, u.reserved into present;
    else
      select coalesce(max(u.used), 0) as used, greatest(0, coalesce(max(u.reserved), 0) - (
        select coalesce(sum(h.amount), 0) from svc_chat_budget_hold h
        where h.tenant_id = tenant and h.budget_id = b.id and h.subject = holder and h.begins = start
          and h.expire_time <= at)) as reserved into present
      from svc_chat_budget_use u
      where u.tenant_id = tenant and u.budget_id = b.id and u.subject = holder and u.begins = start;
    end if;
    if present.used + present.reserved + wanted > b.amount then
      raise exception using errcode = 'SV004', message = jsonb_build_object(
        'kind', b.kind, 'unit', b.unit, 'currency', b.currency, 'period', b.period, 'amount', b.amount::text,
        'used', present.used::text, 'reserved', present.reserved::text,
        'frees', extract(epoch from
          (date_trunc(b.period, at, zone) at time zone zone + ('1 ' || b.period)::interval) at time zone zone) * 1000
      )::text;
    end if;
    if for_real then
      update svc_chat_budget_use u set reserved = u.reserved + wanted
      where u.tenant_id = tenant and u.budget_id = b.id and u.subject = holder and u.begins = start;
      -- A turn ends after two minutes and its last tool.
      insert into svc_chat_budget_hold (tenant_id, budget_id, subject, begins, amount, expire_time)
      values (tenant, b.id, holder, start, wanted, at + interval '10 minutes') returning id into hold;
    end if;
    held := held || jsonb_build_object('hold', hold::text, 'budget', b.id::text, 'subject', holder, 'begins', start,
      'unit', b.unit, 'currency', b.currency, 'amount', wanted::text);
  end loop;
  return held;
end $$;

-- Puts what a turn used in the place of what was held back for it and has not expired, in the same order as above.
create function svc_settle_budget(tenant bigint, held jsonb, tokens numeric, costs jsonb) returns void
language plpgsql as $$
declare
  h record;
  amount numeric;
begin
  for h in
    select r.budget::bigint as budget, r.subject, r.begins, r.unit, r.currency, array_agg(r.hold::bigint) as holds
    from jsonb_to_recordset(held)
      as r (hold text, budget text, subject text, begins timestamptz, unit text, currency text)
    group by 1, 2, 3, 4, 5 order by 1, 2, 3
  loop
    -- The use first, as above: the other order would let a turn that begins wait for one that settles, and this for it.
    perform from svc_chat_budget_use u
    where u.tenant_id = tenant and u.budget_id = h.budget and u.subject = h.subject and u.begins = h.begins for update;
    with gone as (
      delete from svc_chat_budget_hold b where b.tenant_id = tenant and b.id = any (h.holds) returning b.amount)
    select coalesce(sum(g.amount), 0) from gone g into amount;
    update svc_chat_budget_use u set
      reserved = greatest(0, u.reserved - amount),
      used = u.used + case when h.unit = 'tokens' then tokens else coalesce((costs ->> h.currency)::numeric, 0) end
    where u.tenant_id = tenant and u.budget_id = h.budget and u.subject = h.subject and u.begins = h.begins;
  end loop;
end $$;
