import { sql } from 'kysely';
import { z } from 'zod';

import { clamped } from '../../../data/dashboard/range.ts';
import type { Queries } from '../../../db/connect.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { Operation } from '../../../kernel/app/app.ts';
import { AnswerId, IsoTime } from '../../../kernel/entity/answer.ts';
import { input } from '../../../kernel/input/input.ts';
import { ConfirmFlag } from '../../kind/alarm.ts';
import { FIRING } from '../../search/matching.ts';
import { ratesOf, rating, RATINGS } from './rate.ts';

const DAY_MS = 86_400_000;
const PERIOD_MS = 600_000;
const MAX_DAYS = 30;
const TOP = 10;
/** More in the time are left out, the oldest first. */
const MAX_ALARMS = 100_000;
/** Alarms of one rule at one place in one period from which on it chatters. */
const CHATTER = 3;

export const KpiQuery = input({ days: clamped({ most: MAX_DAYS, fallback: 7 }) });

const Count = z.number().int();
const rule = {
  ruleId: AnswerId.describe('0: outages and reports, which have no rule'),
  ruleName: z.string().nullable().describe('Null of a rule that is gone, and without a rule'),
};
const Chattering = z
  .object({
    ...rule,
    deviceId: AnswerId,
    deviceName: z.string().nullable(),
    periods: Count.describe('Periods of ten minutes in which it was raised three times or more'),
    most: Count.describe('In the worst of them'),
  })
  .meta({ id: 'ChatteringAlarm' });
const Stale = z
  .object({
    ...rule,
    alarmId: AnswerId,
    deviceId: AnswerId,
    deviceName: z.string().nullable(),
    since: IsoTime,
  })
  .meta({ id: 'StaleAlarm' });
const Top = z
  .object({ ...rule, count: Count, share: z.number().describe('Of all alarms, 0 to 1') })
  .meta({ id: 'FrequentRule' });

/** Alarms of a time, by the measures of ISA-18.2 and EEMUA 191 (docs/specification/dashboards.md). */
export const AlarmKpi = z
  .object({
    since: IsoTime.describe('Later than asked for where more than 100,000 alarms were raised'),
    until: IsoTime,
    raised: Count,
    perTenMinutes: z.number().describe('Mean'),
    rating: z.enum(RATINGS).describe('Of the mean, by EEMUA 191: up to 1, 2, 10, and more'),
    worst: z.object({ count: Count, at: IsoTime.nullable() }),
    floods: Count.describe('From more than 10 alarms in a period to less than 5 in one'),
    floodShare: z.number().describe('Of the time, 0 to 1'),
    chattering: z.array(Chattering),
    stale: z.object({
      count: Count.describe('Alarms that have fired for more than 24 hours'),
      oldest: z.array(Stale),
    }),
    acknowledged: z.object({
      count: Count.describe('Confirmed by a person'),
      meanMs: z.number().nullable(),
    }),
    topRules: z.array(Top),
    topShare: z.number().describe('Of the ten most frequent, 0 to 1'),
  })
  .meta({ id: 'AlarmKpi' });
type AlarmKpi = z.output<typeof AlarmKpi>;

type Span = { tenantId: string; since: number; until: number; most: number };

type Raised = {
  /** When the newest alarm was raised that is left out; null: none is. */
  cut: Date | null;
  periods: [period: number, count: number][] | null;
  rules: { ruleId: string; ruleName: string | null; count: number }[] | null;
  chattering: z.output<typeof Chattering>[] | null;
  acknowledged: number;
  waitedMs: number | null;
};

const byPerson = sql`confirm_flag = ${sql.lit(ConfirmFlag.CONFIRMED)} and confirm_user_id <> 0`;
const NOTHING: Raised = {
  cut: null,
  periods: null,
  rules: null,
  chattering: null,
  acknowledged: 0,
  waitedMs: null,
};

/** One look at the alarms of the time, of which all but the stale ones is a sum; at the newest 100,000 of them. */
async function raisedIn(q: Queries, { tenantId, since, until, most }: Span): Promise<Raised> {
  const from = new Date(since);
  const last = new Date(until - 1);
  const { rows } = await sql<Raised>`
    with cut as (
      select create_time from svc_entity_alarm where tenant_id = ${tenantId} and create_time >= ${from}
      order by create_time desc, id desc offset ${most} limit 1),
    a as materialized (
      select date_bin('10 minutes', least(create_time, ${last}), ${from}) as period,
        rule_id, entity_id, device_id, count(*)::int as count,
        count(*) filter (where ${byPerson})::int as confirmed,
        sum(extract(epoch from confirm_time - create_time)::float8) filter (where ${byPerson}) as waited
      from svc_entity_alarm where tenant_id = ${tenantId} and create_time >= ${from}
        and create_time > coalesce((select create_time from cut), '-infinity')
      group by 1, 2, 3, 4),
    top as (
      select rule_id, sum(count)::int as count from a group by rule_id order by count desc, rule_id limit ${TOP}),
    chatter as (
      select rule_id, entity_id, device_id, count(*)::int as periods, max(count) as most from a
      where count >= ${CHATTER} group by rule_id, entity_id, device_id
      order by periods desc, most desc, rule_id, device_id, entity_id limit ${TOP})
    select (select create_time from cut) as cut,
      (select json_agg(json_build_array(round(extract(epoch from period - ${from}::timestamptz) / ${PERIOD_MS / 1_000}), count)
          order by period)
        from (select period, sum(count) as count from a group by period) p) as periods,
      (select json_agg(json_build_object('ruleId', rule_id::text, 'ruleName', r.rule_name, 'count', count)
          order by count desc, rule_id)
        from top left join svc_rule r on r.tenant_id = ${tenantId} and r.id = rule_id) as rules,
      (select json_agg(json_build_object('ruleId', c.rule_id::text, 'ruleName', r.rule_name,
          'deviceId', c.device_id::text, 'deviceName', d.device_name, 'periods', periods, 'most', most)
          order by periods desc, most desc, c.rule_id, c.device_id, c.entity_id)
        from chatter c left join svc_rule r on r.tenant_id = ${tenantId} and r.id = c.rule_id
        left join svc_device d on d.tenant_id = ${tenantId} and d.id = c.device_id) as chattering,
      (select coalesce(sum(confirmed), 0)::int from a) as acknowledged,
      (select round(sum(waited) * 1000 / nullif(sum(confirmed), 0))::float8 from a) as waited_ms`.execute(
    q,
  );
  return rows[0] ?? NOTHING;
}

type StaleRow = Omit<z.output<typeof Stale>, 'since'> & { since: Date; total: number };

const staleSince = async (q: Queries, tenantId: string, before: number): Promise<StaleRow[]> => {
  const { rows } = await sql<StaleRow>`
    with stale as materialized (
      select id, rule_id, device_id, create_time from svc_entity_alarm
      where tenant_id = ${tenantId} and urgency >= ${sql.lit(FIRING)} and create_time < ${new Date(before)})
    select a.id as alarm_id, a.rule_id, r.rule_name, a.device_id, d.device_name, a.create_time as since,
      (select count(*)::int from stale) as total
    from (select * from stale order by create_time, id limit ${TOP}) a
    left join svc_rule r on r.tenant_id = ${tenantId} and r.id = a.rule_id
    left join svc_device d on d.tenant_id = ${tenantId} and d.id = a.device_id
    order by a.create_time, a.id`.execute(q);
  return rows;
};

const shareOf = (part: number, whole: number): number => (whole === 0 ? 0 : part / whole);

export async function kpiIn(q: Queries, span: Span): Promise<AlarmKpi> {
  const { tenantId, since, until } = span;
  const [raised, stale] = await Promise.all([
    raisedIn(q, span),
    staleSince(q, tenantId, until - DAY_MS),
  ]);
  const begin = raised.cut?.getTime() ?? since;
  const rates = ratesOf(raised.periods ?? [], Math.ceil((until - begin) / PERIOD_MS));
  const { count, period } = rates.worst;
  const top = raised.rules ?? [];
  const inTop = top.reduce((sum, row) => sum + row.count, 0);
  return {
    since: new Date(begin).toISOString(),
    until: new Date(until).toISOString(),
    raised: rates.total,
    perTenMinutes: rates.mean,
    rating: rating(rates.mean),
    worst: {
      count,
      at: period === null ? null : new Date(since + period * PERIOD_MS).toISOString(),
    },
    floods: rates.floods,
    floodShare: rates.floodShare,
    chattering: raised.chattering ?? [],
    stale: {
      count: stale[0]?.total ?? 0,
      oldest: stale.map((row) => Stale.parse({ ...row, since: row.since.toISOString() })),
    },
    acknowledged: { count: raised.acknowledged, meanMs: raised.waitedMs },
    topRules: top.map((row) => ({ ...row, share: shareOf(row.count, rates.total) })),
    topShare: shareOf(inTop, rates.total),
  };
}

export const kpi: Operation<z.output<typeof KpiQuery>, AlarmKpi> = (app, { tenantId }, { days }) =>
  inOneTrip(app.db, tenantId, (q) => {
    const until = app.clock.now();
    return kpiIn(q, { tenantId, since: until - days * DAY_MS, until, most: MAX_ALARMS });
  });
