import { sql } from 'kysely';

import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { hoursIn, momentOf, openHour } from '../history/closed.ts';
import { firstAt } from '../history/hour.ts';
import type { Pair } from '../value/pair.ts';
import { rowsOf, type Span } from './stored.ts';

/** The numbers of a part of the time that are not bad; times in ms since the epoch. */
export type Part = {
  firstAt: number;
  lastAt: number;
  count: number;
  min: number;
  max: number;
  mean: number;
};

/** Of hot rows, or of closed hours that lie in one part; or a row of closed hours that touches several (`hour`). */
type Read = { n: number; first: Date; last: Date } & Pick<Part, 'count' | 'min' | 'max' | 'mean'>;
type ReadRow = (Read & { hour: null }) | { start: Date; hour: Buffer };

/**
 * The parts of a span that have values, oldest first. A look per part reads its rows alone: grouping all of them by their
 * part costs up to twice as much. One statement, so that an hour that is closed meanwhile is read once.
 */
export async function partsOf(
  q: Queries,
  tenantId: string,
  pair: Pair,
  span: Span,
  parts: number,
): Promise<Part[]> {
  const partMicros = Math.max(1, Math.round(partMsOf(span, parts) * 1_000));
  const from = momentOf(span.from);
  const part = sql`(${partMicros}::float8 * interval '1 microsecond')`;
  const placeOf = (time: ReturnType<typeof sql>) =>
    sql`(extract(epoch from ${time} - ${from}) * 1000000)::bigint / ${partMicros}::bigint`;
  const first = sql`(h.start + h.first_ms * interval '1 millisecond')`;
  // The end of its millisecond.
  const last = sql`(h.start + h.last_ms * interval '1 millisecond' + interval '999 microseconds')`;
  const inOnePart = sql`${first} >= ${from} and ${last} <= ${momentOf(span.to)}
    and ${placeOf(first)} = ${placeOf(last)}`;
  const hours = hoursIn({ tenantId, ...pair }, { from, to: momentOf(span.to) });
  // The last part has the values of the end itself.
  const { rows } = await sql<ReadRow>`
    with hot as (select min(create_time) as first, max(create_time) as last from ${rowsOf(tenantId, pair, span)})
    select n::int as n, read.*, null::timestamptz as start, null::bytea as hour
    from (select * from hot where first is not null) hot, generate_series(greatest(0, ${placeOf(sql`hot.first`)} - 1)::int,
      least(${parts}::int, ${placeOf(sql`hot.last`)} + 1)::int) as n, lateral (
      select min(create_time) as first, max(create_time) as last, count(*)::int as count,
        min(num_value) as min, max(num_value) as max, avg(num_value) as mean
      from ${rowsOf(tenantId, pair, span)} and num_value is not null and quality <> ${Quality.BAD}
        and create_time >= ${from} + n * ${part} and create_time < ${from} + (n + 1) * ${part}
    ) as read
    where read.count > 0
    union all
    select (${placeOf(first)})::int, min(${first}), max(h.start + h.last_ms * interval '1 millisecond'),
      sum(h.number_count)::int, min(h.lowest), max(h.highest), sum(h.total) / sum(h.number_count), null, null
    from ${hours} and h.number_count > 0 and ${inOnePart} group by 1
    union all
    select null, null, null, null, null, null, null, h.start, h.hour
    from ${hours} and h.number_count > 0 and not (${inOnePart})`.execute(q);
  const found = new Map<number, Part>();
  for (const row of rows)
    if (row.hour) addHour(found, row, span, partMicros);
    else addPart(found, row.n, partOf(row));
  return [...found].toSorted(([a], [b]) => a - b).map(([, each]) => each);
}

const partOf = ({ first, last, count, min, max, mean }: Read): Part => ({
  firstAt: first.getTime(),
  lastAt: last.getTime(),
  count,
  min,
  max,
  mean,
});

/** Of one kind of rows alone the mean stays exactly as it was read. */
function addPart(found: Map<number, Part>, n: number, more: Part): void {
  const part = found.get(n);
  if (!part) {
    found.set(n, more);
    return;
  }
  const count = part.count + more.count;
  found.set(n, {
    firstAt: Math.min(part.firstAt, more.firstAt),
    lastAt: Math.max(part.lastAt, more.lastAt),
    count,
    min: Math.min(part.min, more.min),
    max: Math.max(part.max, more.max),
    mean: (part.mean * part.count + more.mean * more.count) / count,
  });
}

function addHour(
  found: Map<number, Part>,
  row: { start: Date; hour: Buffer },
  { from, to }: Span,
  partMicros: number,
): void {
  const hour = openHour({ ...row, driverId: '' });
  const numbers = hour.numbers();
  let part: (Part & { n: number }) | null = null;
  let end = -Infinity;
  const close = (): void => {
    if (!part) return;
    const { n, ...ended } = part;
    // Its sum until here.
    addPart(found, n, { ...ended, mean: ended.mean / ended.count });
  };
  for (let index = firstAt(hour.at, from * 1_000); index < hour.count; index += 1) {
    const at = hour.at[index] ?? NaN;
    const number = numbers[index] ?? NaN;
    if (at > to * 1_000) break;
    if (Number.isNaN(number) || hour.quality[index] === Quality.BAD) continue;
    const ms = Math.floor(at / 1_000);
    if (part && at < end) {
      part.lastAt = ms;
      part.count += 1;
      if (number < part.min) part.min = number;
      if (number > part.max) part.max = number;
      part.mean += number;
      continue;
    }
    close();
    const n = Math.floor((at - from * 1_000) / partMicros);
    end = from * 1_000 + (n + 1) * partMicros;
    part = { n, firstAt: ms, lastAt: ms, count: 1, min: number, max: number, mean: number };
  }
  close();
}

/** How long a part is at least. */
export const partMsOf = ({ from, to }: Span, parts: number): number =>
  Math.max(1, (to - from) / parts);
