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
