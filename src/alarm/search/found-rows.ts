import { type RawBuilder, sql, type SqlBool } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { contains } from '../../db/query-page.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { maintenanceOf } from '../alarm/in-maintenance.ts';
import { type Notifications, notificationsOf } from '../alarm/notifications.ts';
import { acknowledgedOf, silenceOf, type SummaryRow } from '../alarm/summary.ts';
import { AlarmLevel, ConfirmFlag } from '../kind/alarm.ts';
import {
  FIRING,
  isInWindow,
  isSamePlace,
  isWanted,
  ofAssignee,
  placeOf,
  restingUrgencies,
  type Search,
} from './matching.ts';
import type { Position } from './position.ts';

/** One alarm for each rule and place, of all that the search finds there. */
export type FoundRow = SummaryRow & {
  ruleId: string;
  lastRecoverTime: Date | null;
  /** Alarms of the rule at the place that the search finds, counted up to 100. */
  occurrences: number;
  told: Notifications[];
  urgency: number;
  micros: string;
};

type Asked = {
  tenantId: string;
  search: Search;
  limit: number;
  after: Position | null;
  now: number;
};

/** Alarms that one page looks at, so that its time does not grow with the list. */
const MAX_SCANNED = 500;
/** Each is read: a rule that fired more often has its number in the report of an alarm. */
const MAX_OCCURRENCES = 100;
const MAX_COUNTED = 10_000;

export type AlarmCounts = {
  firing: number;
  /** Rules and places with unconfirmed alarms that do not fire, of 10,000 such alarms at most: one row of the list each. */
  recoveredUnconfirmed: number;
};

/** Of all alarms at the device, of the level and in the window of the search, whatever state it is for. */
export async function countsIn(q: Queries, asked: Narrowed): Promise<AlarmCounts> {
  const { tenantId, search } = asked;
  const { level, query } = search;
  const found = sql`from svc_entity_alarm a ${query === undefined ? sql`` : named}
    where a.tenant_id = ${tenantId} and ${isInWindow('a', search)} and ${isAt('a', asked)} and ${says(search)}
      and ${level === undefined ? sql`true` : sql`a.alarm_level_flag = ${AlarmLevel[level]}`}`;
  const { rows } = await sql<AlarmCounts>`
    select (select count(*)::int ${found} and a.urgency >= ${sql.lit(FIRING)}) as firing,
      (select count(distinct place)::int from (select ${placeOf('a')} as place ${found}
        and a.urgency between 1 and 4 limit ${MAX_COUNTED}) unconfirmed) as recovered_unconfirmed`.execute(
    q,
  );
  return rows[0] ?? { firing: 0, recoveredUnconfirmed: 0 };
}

/** Firing alarms behind `after`, by level, the longest first; a rule fires once at a place. */
export async function firingRows(q: Queries, asked: Asked): Promise<FoundRow[]> {
  const { tenantId, search, limit, after } = asked;
  const behind = after
    ? sql`(a.alarm_level_flag, a.create_time, a.id) >
        (${8 - after.urgency}::int, ${timeOf(after)}, ${after.id}::bigint)`
    : sql`true`;
  const { rows } = await sql<FoundRow>`
    with chosen as (
      select a.* from svc_entity_alarm a ${named}
      where a.tenant_id = ${tenantId} and a.urgency >= ${sql.lit(FIRING)}
        and ${isWanted('a', search)} and ${isInWindow('a', search)} and ${isAt('a', asked)}
        and ${says(search)} and ${behind}
      order by a.alarm_level_flag, a.create_time, a.id limit ${limit})
    select ${described('a', asked)} from chosen a ${named}
    order by a.alarm_level_flag, a.create_time, a.id`.execute(q);
  return rows;
}

export type Resting = {
  rows: FoundRow[];
  /** The last alarm looked at, where there are more; else null. */
  scannedTo: Position | null;
};

/**
 * Alarms behind `after` that do not fire: unconfirmed ones by level, then the others, both newest first; or all that the
 * search finds, newest first. Looks at
 * 500 alarms at most and may find none of what it is asked for in them.
 */
export async function restingRows(q: Queries, asked: Asked): Promise<Resting> {
  const { tenantId, search, limit, after } = asked;
  const strands = restingUrgencies(search).filter(
    (urgency) => search.newestFirst || after === null || Math.max(urgency, 0) <= after.urgency,
  );
  const isCut = (urgency: number): boolean =>
    search.newestFirst ? after !== null : after?.urgency === Math.max(urgency, 0);
  const rank = search.newestFirst ? sql`0` : sql`greatest(a.urgency, 0)`;
  const until = after ? timeOf(after) : sql`'infinity'::timestamptz`;
  const starts = strands.map(
    (urgency) =>
      sql`(${urgency}::int, ${isCut(urgency) ? until : sql`'infinity'::timestamptz`}, ${isCut(urgency) ? (after?.id ?? '0') : '0'}::bigint)`,
  );
  if (starts.length === 0) return { rows: [], scannedTo: null };
  const { rows } = await sql<{ [Column in keyof FoundRow]: FoundRow[Column] | null } & Scanned>`
    with scanned as materialized (
      select a.*, ${rank} as rank
      from (values ${sql.join(starts)}) as strand (urgency, at, id) cross join lateral (
        select s.* from svc_entity_alarm s
        where s.tenant_id = ${tenantId} and s.urgency = strand.urgency
          and (s.create_time, s.id) < (strand.at, strand.id)
          and ${isInWindow('s', search)} and ${isAt('s', asked)}
        order by s.create_time desc, s.id desc limit ${MAX_SCANNED}) a
      order by rank desc, a.create_time desc, a.id desc limit ${MAX_SCANNED}
    ), chosen as (
      select a.* from scanned a ${named}
      where ${isWanted('a', search)} and ${says(search)} and ${firstAt(search)} = a.id
      order by a.rank desc, a.create_time desc, a.id desc limit ${limit}
    ), last as (
      select rank, ${microsOf('s')} as micros, id from scanned s
      where (select count(*) from scanned) = ${MAX_SCANNED}
      order by rank, create_time, id limit 1)
    select found.*, last.rank as last_urgency, last.micros as last_micros, last.id as last_id
    from (values (1)) as one (one) left join last on true left join (
      select a.rank, ${described('a', asked)} from chosen a ${named}) found on true
    order by found.rank desc, found.create_time desc, found.id desc`.execute(q);
  const [first] = rows;
  const { lastUrgency: urgency, lastMicros: micros, lastId: id } = first ?? NOT_SCANNED;
  return {
    rows: rows.filter((row): row is FoundRow & Scanned => row.id !== null),
    scannedTo: urgency === null || micros === null || id === null ? null : { urgency, micros, id },
  };
}

const NOT_SCANNED: Scanned = { lastUrgency: null, lastMicros: null, lastId: null };

type Scanned = {
  lastUrgency: number | null;
  lastMicros: string | null;
  lastId: string | null;
};

const timeOf = ({ micros }: Position): RawBuilder<Date> =>
  sql`'epoch'::timestamptz + ${micros}::bigint * interval '1 microsecond'`;
const microsOf = (row: string): RawBuilder<string> =>
  sql`(extract(epoch from ${sql.ref(`${row}.create_time`)}) * 1000000)::bigint`;

/** The first of the alarms at the place of `a` that the search finds: one look into the index of places. */
const firstAt = (search: Search): RawBuilder<string> => sql`(
  select o.id from svc_entity_alarm o
  where ${isSamePlace('o', 'a')} and ${isWanted('o', search)} and ${isInWindow('o', search)}
  order by o.urgency desc, o.create_time desc, o.id desc limit 1)`;

type Narrowed = Pick<Asked, 'tenantId' | 'search'>;

/** Whether an alarm is of the device, group or assignee of the search. */
const isAt = (row: string, { tenantId, search }: Narrowed): RawBuilder<SqlBool> => {
  const device = sql.ref(`${row}.device_id`);
  const ofDevice = search.deviceId === undefined ? sql`true` : sql`${device} = ${search.deviceId}`;
  const ofGroup =
    search.groupId === undefined
      ? sql`true`
      : sql`${device} in (select b.entity_id from svc_group_bind b where b.tenant_id = ${tenantId}
          and b.group_id = ${search.groupId} and b.entity_type_flag = ${EntityType.DEVICE})`;
  const isSilenced = search.silenced
    ? sql`exists (select from svc_rule_state state where state.tenant_id = ${tenantId}
        and state.id = ${sql.ref(`${row}.rule_state_id`)} and state.silenced_until is not null)`
    : sql`true`;
  return sql`(${ofDevice} and ${ofGroup} and ${isSilenced} and ${ofAssignee(row, search)})`;
};

const named = sql`
  left join svc_device d on d.tenant_id = a.tenant_id and d.id = a.device_id
  left join svc_point p on p.tenant_id = a.tenant_id and p.id = a.point_id
  left join svc_driver v on v.tenant_id = a.tenant_id and v.id = a.driver_id and a.device_id = 0`;

const says = ({ query }: Search): RawBuilder<SqlBool> =>
  query === undefined
    ? sql`true`
    : sql`concat_ws(' ', d.device_name, p.point_name, v.driver_name, a.message) ilike ${contains(query)}`;

/** The ids of at most `limit` unconfirmed alarms that a search finds, none after the alarm `upTo`, the most urgent first. */
export async function unconfirmedIds(
  q: Queries,
  { limit, upTo, ...asked }: Narrowed & { limit: number; upTo: string | undefined },
): Promise<string[]> {
  const { tenantId, search } = asked;
  const { rows } = await sql<{ id: string }>`
    select a.id from svc_entity_alarm a ${named}
    where a.tenant_id = ${tenantId} and a.confirm_flag = ${ConfirmFlag.UNCONFIRMED} and a.urgency > 0
      and (${upTo ?? null}::bigint is null or a.id <= ${upTo ?? null}::bigint)
      and ${isWanted('a', search)} and ${isAt('a', asked)} and ${says(search)}
    order by a.urgency desc, a.create_time, a.id limit ${limit}`.execute(q);
  return rows.map(({ id }) => id);
}

const described = (row: 'a', { tenantId, search, now }: Asked): RawBuilder<FoundRow> => sql`
  a.id, a.state_flag, a.alarm_level_flag, a.alarm_type_flag, a.confirm_flag, a.message, a.condition,
  a.alarm_ext, a.create_time, a.first_trigger_time, a.last_recover_time, a.rule_id,
  a.device_id, d.device_name, a.point_id, p.point_name, p.unit, v.driver_name,
  a.urgency, ${microsOf(row)} as micros, ${notificationsOf(tenantId, row)} as told,
  ${silenceOf(tenantId, row)} as silence, ${acknowledgedOf(tenantId, row)} as acknowledged,
  ${maintenanceOf(tenantId, row, now)} as maintenance, a.assignee_id, a.assignee_name,
  (select count(*)::int from (select from svc_entity_alarm o where ${isSamePlace('o', row)}
    and ${isWanted('o', search)} and ${isInWindow('o', search)} limit ${MAX_OCCURRENCES}) same) as occurrences`;
