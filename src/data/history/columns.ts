import { setImmediate } from 'node:timers/promises';

import { sql } from 'kysely';

import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import {
  type ClosedHour,
  hourColumns,
  hoursIn,
  inOrder,
  microsOf,
  momentOf,
  openHour,
} from './closed.ts';

/** Stored values in order of time and sequence, in columns. */
export type Columns = {
  /** Microseconds since the epoch. */
  at: Float64Array;
  /** NaN: none. */
  numbers: Float64Array;
  qualities: Uint8Array;
  /** As they were stored; empty unless they were asked for. */
  texts: string[];
};

type Series = { tenantId: string; deviceId: string; pointId: string };
/** Times in ms since the epoch, both included. */
type Span = { from: number; to: number };
type HotRow = { at: number; seq: string; number: number | null; quality: number; text: string };

const HOT_PAGE = 20_000;
/** Closed hours that are asked for at once, and opened until others have their turn. */
const HOURS_PAGE = 1_000;
const HOURS_AT_ONCE = 50;

/** All values of a series in a span, whether their hours are closed or not. */
export async function columnsOf(
  app: App,
  series: Series,
  span: Span,
  { withTexts = false }: { withTexts?: boolean } = {},
): Promise<Columns> {
  // The hot rows first: an hour that is closed meanwhile is in both then, and not in none.
  const hot = await hotOf(app, series, span);
  const columns = new ColumnWriter(hot, span, withTexts);
  for (let from = span.from; ;) {
    const hours = await hoursFrom(app, series, { from, to: span.to });
    for (const [index, hour] of hours.entries()) {
      if (index % HOURS_AT_ONCE === HOURS_AT_ONCE - 1) await setImmediate();
      columns.add(hour);
    }
    const last = hours.at(-1);
    if (!last || hours.length < HOURS_PAGE) return columns.finish();
    from = last.start.getTime() + HOUR_END_MS;
  }
}

/** One more than the last moment of an hour that the select for the next page must not have again. */
const HOUR_END_MS = 3_600_000;

async function hotOf(app: App, { tenantId, ...series }: Series, span: Span): Promise<HotRow[]> {
  const read: HotRow[] = [];
  for (;;) {
    const last = read.at(-1);
    const beyond = last
      ? sql`and (create_time, seq) > (timestamptz 'epoch' + ${Math.floor(last.at / 1_000)}::float8
          * interval '1 millisecond' + ${last.at % 1_000}::int * interval '1 microsecond', ${last.seq}::bigint)`
      : sql``;
    const { rows } = await inOneTrip(app.db, tenantId, (q) =>
      sql<HotRow>`
        select ${microsOf(sql`create_time`)} as at, seq::text as seq, num_value as number, quality,
          cal_value as text
        from svc_point_value where tenant_id = ${tenantId} and device_id = ${series.deviceId}
          and point_id = ${series.pointId} and create_time between ${new Date(span.from)} and ${new Date(span.to)}
          ${beyond}
        order by create_time, seq limit ${HOT_PAGE}`.execute(q),
    );
    for (const row of rows) read.push(row);
    if (rows.length < HOT_PAGE) return read;
  }
}

async function hoursFrom(app: App, series: Series, { from, to }: Span): Promise<ClosedHour[]> {
  const reach = { from: momentOf(from), to: momentOf(to) };
  const { rows } = await inOneTrip(app.db, series.tenantId, (q) =>
    sql<ClosedHour>`select ${hourColumns} from ${hoursIn(series, reach)}
      order by h.start limit ${HOURS_PAGE}`.execute(q),
  );
  return rows;
}

const FIRST_ROOM = 4_096;

/** Puts closed hours, which come in their order, and hot rows together. */
class ColumnWriter {
  readonly #hot: readonly HotRow[];
  readonly #span: Span;
  readonly #withTexts: boolean;
  #next = 0;
  #count = 0;
  #at = new Float64Array(FIRST_ROOM);
  #numbers = new Float64Array(FIRST_ROOM);
  #qualities = new Uint8Array(FIRST_ROOM);
  readonly #texts: string[] = [];

  constructor(hot: readonly HotRow[], span: Span, withTexts: boolean) {
    this.#hot = hot;
    this.#span = span;
    this.#withTexts = withTexts;
  }

  add(closed: ClosedHour): void {
    const hour = openHour(closed);
    const [from, to] = [this.#span.from * 1_000, this.#span.to * 1_000];
    for (let index = 0; index < hour.count; index += 1) {
      const at = hour.at[index] ?? NaN;
      if (at < from || at > to) continue;
      if (at >= this.#nextHot) this.#hotBefore(at, () => hour.value(index).seq);
      this.#push(at, hour.number(index), hour.quality[index] ?? NaN);
      if (this.#withTexts) this.#texts.push(hour.calValue(index));
    }
  }

  finish(): Columns {
    for (; this.#next < this.#hot.length; this.#next += 1) this.#pushHot(this.#hot[this.#next]);
    return {
      at: this.#at.subarray(0, this.#count),
      numbers: this.#numbers.subarray(0, this.#count),
      qualities: this.#qualities.subarray(0, this.#count),
      texts: this.#texts,
    };
  }

  /** Those before a closed value, and without the same one. */
  #hotBefore(at: number, seqOf: () => string): void {
    for (;;) {
      const row = this.#hot[this.#next];
      if (!row || row.at > at) return;
      const order = row.at < at ? -1 : inOrder(row, { at, seq: seqOf() });
      if (order > 0) return;
      if (order < 0) this.#pushHot(row);
      this.#next += 1;
    }
  }

  get #nextHot(): number {
    return this.#hot[this.#next]?.at ?? Infinity;
  }

  #pushHot(row: HotRow | undefined): void {
    if (!row) return;
    this.#push(row.at, row.number, row.quality);
    if (this.#withTexts) this.#texts.push(row.text);
  }

  #push(at: number, number: number | null, quality: number): void {
    if (this.#count === this.#at.length) this.#grow();
    this.#at[this.#count] = at;
    this.#numbers[this.#count] = number ?? NaN;
    this.#qualities[this.#count] = quality;
    this.#count += 1;
  }

  #grow(): void {
    const room = 2 * this.#at.length;
    const [at, numbers, qualities] = [this.#at, this.#numbers, this.#qualities];
    this.#at = new Float64Array(room);
    this.#at.set(at);
    this.#numbers = new Float64Array(room);
    this.#numbers.set(numbers);
    this.#qualities = new Uint8Array(room);
    this.#qualities.set(qualities);
  }
}
