import { type RawBuilder, sql } from 'kysely';

import {
  type ClosedHour,
  hoursWith,
  merged,
  microsOf,
  valuesOf,
} from '../../data/history/closed.ts';
import type { Queries } from '../../db/connect.ts';
import { AlarmTarget } from '../kind/alarm.ts';
import { isSamePlace } from '../search/matching.ts';

type Of = { tenantId: string; alarmId: string };

/** A stored value, in seconds from the one that fired. */
export type NearValue = { seconds: number; value: string };

/** Earlier and later alarms of the rule at the place. */
export type Occurrences = {
  day: number;
  /** Counted up to 1,000. */
  week: number;
  latest: { alarmId: string; since: string; seconds: number | null }[];
};

/** In microseconds. */
const DAY = 86_400_000_000;
const MAX_BEFORE = 5;
const MAX_COUNTED = 1_000;
const MAX_LATEST = 5;

/** When the value was measured that fired an alarm, else when the alarm was raised. */
export const firedTime = sql<Date>`case alarm_target_type_flag when ${sql.lit(AlarmTarget.POINT)}
  then coalesce((alarm_ext #>> '{values,createTime}')::timestamptz, first_trigger_time, create_time)
  else coalesce(first_trigger_time, create_time) end`;

const HELD = sql`case coalesce(alarm_ext #>> '{window,mode}', 'LAST')
  when 'LAST' then alarm_ext #>> '{window,duration}' else alarm_ext #>> '{window,hold}' end`;

/** When the condition of an alarm began to hold, or its silence to last. */
export const onsetTime = sql<Date>`${firedTime} - case when (${HELD}) ~ '^P[0-9DTHMS]+$'
  then (${HELD})::interval else interval '0' end`;

/** One column or expression of an alarm, as a value for the other queries of a trip. */
export const ofAlarm = <T>({ tenantId, alarmId }: Of, what: RawBuilder<T>): RawBuilder<T> =>
  sql`(select ${what} from svc_entity_alarm where tenant_id = ${tenantId} and id = ${alarmId})`;

/** The moment `minutes` after the alarm fired. */
export const minutesAfter = (of: Of, minutes: number): RawBuilder<Date> =>
  ofAlarm(of, sql<Date>`${firedTime} + ${minutes}::int * interval '1 minute'`);

/** At most five values before the one that fired, itself, and five after it, all within a day; oldest first. */
export async function valuesAround(q: Queries, of: Of): Promise<NearValue[]> {
  const series = {
    tenantId: of.tenantId,
    deviceId: sql`alarm.device_id`,
    pointId: sql`alarm.point_id`,
  };
  const alarm = sql`alarm as (select device_id, point_id, ${firedTime} as at from svc_entity_alarm
      where tenant_id = ${of.tenantId} and id = ${of.alarmId} and point_id <> 0)`;
  const hot = sql<Near>`
    with ${alarm}
    select ${microsOf(sql`alarm.at`)} as fired, ${microsOf(sql`near.create_time`)} as at, near.seq::text as seq,
      near.cal_value as value
    from alarm cross join lateral (
      (select v.create_time, v.seq, v.cal_value from svc_point_value v
      where v.tenant_id = ${of.tenantId} and v.device_id = alarm.device_id and v.point_id = alarm.point_id
        and v.create_time <= alarm.at and v.create_time > alarm.at - interval '1 day'
      order by v.create_time desc, v.seq desc limit ${MAX_BEFORE + 1})
      union all
      (select v.create_time, v.seq, v.cal_value from svc_point_value v
      where v.tenant_id = ${of.tenantId} and v.device_id = alarm.device_id and v.point_id = alarm.point_id
        and v.create_time > alarm.at and v.create_time < alarm.at + interval '1 day'
      order by v.create_time, v.seq limit ${MAX_BEFORE})) near
    order by near.create_time, near.seq`;
  const before = hoursWith(
    series,
    { from: sql`alarm.at - interval '1 day'`, to: sql`alarm.at` },
    { most: MAX_BEFORE + 1, newestFirst: true },
  );
  const after = hoursWith(
    series,
    { from: sql`alarm.at`, to: sql`alarm.at + interval '1 day'` },
    { most: MAX_BEFORE, newestFirst: false },
  );
  // An hour that is closed between the two is in both.
  const [{ rows }, { rows: hours }] = await Promise.all([
    hot.execute(q),
    sql<ClosedHour & { fired: number }>`
      with ${alarm}
      select ${microsOf(sql`alarm.at`)} as fired, near.* from alarm cross join lateral (
        (${before}) union (${after})) near`.execute(q),
  ]);
  return hours.length === 0 ? rows.map(nearValueOf) : nearest(rows, hours).map(nearValueOf);
}

/** Times in microseconds since the epoch. */
type Near = { fired: number; at: number; seq: string; value: string };

/** Rounded as PostgreSQL does it. */
function nearValueOf({ fired, at, value }: Near): NearValue {
  const seconds = (at - fired) / 1_000_000;
  return { seconds: Math.sign(seconds) * Math.round(Math.abs(seconds)) || 0, value };
}

function nearest(hot: readonly Near[], hours: readonly (ClosedHour & { fired: number })[]): Near[] {
  const fired = hours[0]?.fired ?? 0;
  const closed = [...valuesOf(hours)].map(({ at, seq, calValue: value }) => ({
    fired,
    at,
    seq,
    value,
  }));
  const all = merged(closed, hot).filter(({ at }) => at > fired - DAY && at < fired + DAY);
  const after = all.findIndex(({ at }) => at > fired);
  const end = after < 0 ? all.length : after;
  return all.slice(Math.max(0, end - MAX_BEFORE - 1), end + MAX_BEFORE);
}

/** The alarms of the same rule at the same place in the 24 hours and 7 days before `now` (ms since the epoch). */
export async function occurrencesOf(q: Queries, of: Of, now: number): Promise<Occurrences> {
  const ago = (hours: number) => new Date(now - hours * 3_600_000);
  const { rows } = await sql<Occurrences>`
    with same as (
      select o.id, o.create_time, coalesce(o.first_trigger_time, o.create_time) as since, o.last_recover_time
      from svc_entity_alarm a join svc_entity_alarm o on ${isSamePlace('o', 'a')}
      where a.tenant_id = ${of.tenantId} and a.id = ${of.alarmId} and o.create_time > ${ago(168)}
      order by o.create_time desc, o.id desc limit ${MAX_COUNTED})
    select count(*)::int as week, (count(*) filter (where create_time > ${ago(24)}))::int as day,
      coalesce((select jsonb_agg(jsonb_build_object('alarmId', id::text, 'since', since,
          'seconds', round(extract(epoch from last_recover_time - since))) order by create_time desc, id desc)
        from (select * from same order by create_time desc, id desc limit ${MAX_LATEST}) latest), '[]') as latest
    from same`.execute(q);
  return rows[0] ?? { day: 0, week: 0, latest: [] };
}
