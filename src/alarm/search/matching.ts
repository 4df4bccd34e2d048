import { type RawBuilder, sql, type SqlBool } from 'kysely';

import { AlarmLevel, ConfirmFlag } from '../kind/alarm.ts';
import { RuleStatus } from '../kind/rule-status.ts';

/** FIRING, RECOVERED and unconfirmed need attention; CLOSED are the confirmed ones that do not fire. */
type SearchState = 'FIRING' | 'RECOVERED' | 'CLOSED' | 'unconfirmed';

/** What a search is for; without a state and a window: all that fires or waits for a confirmation. */
export type Search = {
  state?: SearchState | undefined;
  level?: keyof typeof AlarmLevel | undefined;
  deviceId?: string | undefined;
  groupId?: string | undefined;
  /** Of a person that looks after it. */
  assigneeId?: string | undefined;
  /** Only where a person holds the notifications back. */
  silenced?: true | undefined;
  /** When the alarm was raised: `since` included, `until` excluded. */
  since?: Date | undefined;
  until?: Date | undefined;
  /** Part of the name of the device, point or rule, or of the message. */
  query?: string | undefined;
  /** Whether it fires or not, the newest first; else by urgency. */
  newestFirst?: boolean | undefined;
};

export const FIRING = 5;
const levels = Object.values(AlarmLevel);

/** The urgencies of the alarms that a search can find and lists after those that fire, the highest first. */
export function restingUrgencies(search: Search): number[] {
  const { state, level, since, until, newestFirst } = search;
  const wanted = level === undefined ? levels : [AlarmLevel[level]];
  const hasWindow = since !== undefined || until !== undefined;
  const isOpen = state !== 'CLOSED' && state !== 'FIRING';
  const isPast = state === 'CLOSED' || (state === undefined && hasWindow);
  return [
    ...(newestFirst && mayFire(search) ? wanted.map((one) => 8 - one) : []),
    ...(isOpen ? wanted.map((one) => 4 - one) : []),
    ...(isPast ? wanted.map((one) => -one) : []),
  ];
}

export const mayFire = ({ state }: Search): boolean =>
  state === undefined || /^(FIRING|unconfirmed)$/.test(state);

const equal = (column: string, value: number | string): RawBuilder<SqlBool> =>
  sql`${sql.ref(column)} = ${value}`;

/** Whether an alarm is of the state, level and assignee of a search. */
export function isWanted(row: string, search: Search): RawBuilder<SqlBool> {
  const { state, level } = search;
  const hasWindow = search.since !== undefined || search.until !== undefined;
  const ofLevel =
    level === undefined ? sql`true` : equal(`${row}.alarm_level_flag`, AlarmLevel[level]);
  const ofState = {
    // Not by the state: the urgency is in the index of places.
    FIRING: () => sql<SqlBool>`${sql.ref(`${row}.urgency`)} >= ${sql.lit(FIRING)}`,
    RECOVERED: () => equal(`${row}.state_flag`, RuleStatus.RECOVERED),
    unconfirmed: () => equal(`${row}.confirm_flag`, ConfirmFlag.UNCONFIRMED),
    CLOSED: () => sql`${sql.ref(`${row}.urgency`)} <= 0`,
    any: () => (hasWindow ? sql`true` : sql`${sql.ref(`${row}.urgency`)} > 0`),
  }[state ?? 'any']();
  return sql`(${ofLevel} and ${ofState} and ${ofAssignee(row, search)})`;
}

export const ofAssignee = (row: string, { assigneeId }: Search): RawBuilder<SqlBool> =>
  assigneeId === undefined ? sql`true` : equal(`${row}.assignee_id`, assigneeId);

/** Whether an alarm was raised in the window of a search. A bound that is not given would only mislead the planner. */
export function isInWindow(row: string, { since, until }: Search): RawBuilder<SqlBool> {
  const at = sql.ref(`${row}.create_time`);
  const bounds = [
    ...(since ? [sql`${at} >= ${since}`] : []),
    ...(until ? [sql`${at} < ${until}`] : []),
  ];
  return bounds.length === 0 ? sql`true` : sql`(${sql.join(bounds, sql` and `)})`;
}

const PLACE = [
  'device_id',
  'entity_id',
  'rule_id',
  'alarm_type_flag',
  'alarm_source_flag',
  'alarm_target_type_flag',
];

/** Reports, which have no state, differ by their message. */
const said = (row: string): RawBuilder<string | null> =>
  sql`case when ${sql.ref(`${row}.state_flag`)} is null then ${sql.ref(`${row}.message`)} end`;

/** The rule and place of an alarm (of a report also its message), as one value for `count(distinct …)` in one tenant. */
export const placeOf = (row: string): RawBuilder<unknown> =>
  sql`(${sql.join([...PLACE.map((name) => sql.ref(`${row}.${name}`)), said(row)])})`;

/** Whether two alarms are of one rule at one place; reports also of one message. */
export const isSamePlace = (a: string, b: string): RawBuilder<SqlBool> => {
  const columns = ['tenant_id', ...PLACE].map(
    (name) => sql`${sql.ref(`${a}.${name}`)} = ${sql.ref(`${b}.${name}`)}`,
  );
  return sql`(${sql.join(columns, sql` and `)} and ${said(a)} is not distinct from ${said(b)})`;
};
