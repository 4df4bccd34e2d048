import { sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import type { Pair } from '../value/pair.ts';
import { at, type Series } from './find/series.ts';
import { rowsOf, type Span } from './stored.ts';

export const MAX_STATES = 2_000;
const MAX_SHARES = 5;

/** From `time` (ms) on the value was `value`. */
export type State = { time: number; value: string };

export type StateDigest = {
  /** Of the time, the largest first, at most five; times in which nothing came count to the state before. */
  shares: { value: string; share: number }[];
  /** How often the value changed, and when last (ms). */
  switches: number;
  since: number | null;
};

/** The changes of a point with text values, at most 2,000; none of other points. */
export async function textStatesOf(
  q: Queries,
  tenantId: string,
  pair: Pair,
  span: Span,
): Promise<State[]> {
  const { rows } = await sql<{ createTime: Date; value: string }>`
    select create_time, value from (
      select create_time, seq, cal_value as value,
        lag(cal_value) over (order by create_time, seq) as before
      from ${rowsOf(tenantId, pair, span)} and exists (
        select from svc_point p where p.tenant_id = ${tenantId} and p.id = ${pair.pointId}
          and p.point_type_flag = ${ValueType.STRING}::int)
    ) as read
    where before is distinct from value order by create_time, seq limit ${MAX_STATES}::int`.execute(
    q,
  );
  return rows.map(({ createTime, value }) => ({ time: createTime.getTime(), value }));
}

/** The changes of a series of 0 and 1. */
export function switchesOf({ times, values }: Series): State[] {
  const states: State[] = [];
  for (let index = 0; index < values.length; index += 1)
    if (index === 0 || at(values, index) !== at(values, index - 1))
      states.push({ time: at(times, index), value: String(at(values, index) !== 0) });
  return states;
}

/** At most `max`, evenly by rank, the newest among them. */
export function picked(states: readonly State[], max: number): State[] {
  const every = Math.max(1, Math.ceil(states.length / max));
  return max < 1 ? [] : states.filter((_, index) => (states.length - 1 - index) % every === 0);
}

/** `to` in ms: the end of the last state. */
export function stateDigestOf(states: readonly State[], to: number): StateDigest {
  const held = new Map<string, number>();
  let total = 0;
  for (const [index, { time, value }] of states.entries()) {
    const ms = Math.max(0, (states[index + 1]?.time ?? Math.max(to, time + 1)) - time);
    held.set(value, (held.get(value) ?? 0) + ms);
    total += ms;
  }
  return {
    shares: [...held]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, MAX_SHARES)
      .map(([value, ms]) => ({ value, share: ms / total })),
    switches: Math.max(0, states.length - 1),
    since: states.length > 1 ? (states.at(-1)?.time ?? null) : null,
  };
}
