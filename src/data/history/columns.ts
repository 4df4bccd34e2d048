import { setImmediate } from 'node:timers/promises';

import { sql } from 'kysely';

import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { type ClosedHour, hourColumns, hoursIn, inOrder, momentOf, openHour } from './closed.ts';
import { HotPage, hotPage, type Place, type Series } from './hot-page.ts';
import { type Hour, firstAt } from './hour.ts';

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

/** Times in ms since the epoch, both included. */
type Span = { from: number; to: number };

/** Closed rows that are asked for at once, and opened until others have their turn. */
const HOURS_PAGE = 1_000;
const HOURS_AT_ONCE = 20;

/** All values of a series in a span, whether their hours are closed or not. */
export async function columnsOf(
  app: App,
  series: Series,
  span: Span,
  { withTexts = false }: { withTexts?: boolean } = {},
): Promise<Columns> {
  const columns = new ColumnWriter(span, withTexts);
  for (let beyond: Place | null = null; ;) {
    // The hot rows first: an hour that is closed meanwhile is in both then, and not in none.
    const hot: HotPage = await hotPage(app, series, span, { beyond, withTexts });
    const window = { after: beyond, last: hot.isLast ? null : hot.last };
    columns.open(hot, window);
    await addHours(app, series, { span, ...window }, columns);
    columns.close();
    if (hot.isLast) return columns.finish();
    beyond = hot.last;
  }
}

/** Of the values behind `after` up to `last`, where one is given. */
type Window = { after: Place | null; last: Place | null };

async function addHours(
  app: App,
  series: Series,
  { span, after, last }: Window & { span: Span },
  columns: ColumnWriter,
): Promise<void> {
  const to = last ? Math.floor(last.at / 1_000) : span.to;
  for (let from = after ? Math.floor(after.at / 1_000) : span.from; ;) {
    const hours = await hoursFrom(app, series, { from, to });
    columns.reserve(hours.reduce((sum, { valueCount }) => sum + valueCount, 0));
    for (const [index, hour] of hours.entries()) {
      if (index % HOURS_AT_ONCE === HOURS_AT_ONCE - 1) await setImmediate();
      columns.add(hour);
    }
    if (hours.length < HOURS_PAGE) return;
    from = columns.closedTo;
  }
}

type CountedHour = ClosedHour & { valueCount: number };

async function hoursFrom(app: App, series: Series, { from, to }: Span): Promise<CountedHour[]> {
  const reach = { from: momentOf(from), to: momentOf(to) };
  const { rows } = await inOneTrip(app.db, series.tenantId, (q) =>
    sql<CountedHour>`select ${hourColumns}, h.value_count from ${hoursIn(series, reach)}
      order by h.start limit ${HOURS_PAGE}`.execute(q),
  );
  return rows;
}

const FIRST_ROOM = 4_096;

/** Puts closed hours, which come in their order, and pages of hot rows together. */
class ColumnWriter {
  readonly #span: Span;
  readonly #withTexts: boolean;
  #hot = HotPage.none;
  #window: Window = { after: null, last: null };
  #next = 0;
  /** Of the newest closed value of the window: a row that was divided meanwhile has some again. */
  #closedAt = -Infinity;
  #count = 0;
  #at = new Float64Array(FIRST_ROOM);
  #numbers = new Float64Array(FIRST_ROOM);
  #qualities = new Uint8Array(FIRST_ROOM);
  readonly #texts: string[] = [];

  constructor(span: Span, withTexts: boolean) {
    this.#span = span;
    this.#withTexts = withTexts;
  }

  open(hot: HotPage, window: Window): void {
    [this.#hot, this.#window, this.#next, this.#closedAt] = [hot, window, 0, -Infinity];
  }

  /** The end (ms) of the rows that were added last. */
  closedTo = 0;

  add(closed: CountedHour): void {
    this.reserve(closed.valueCount);
    // Its times come where they belong if the row is whole between hot values, as most are.
    const hour = openHour(closed, this.#at.subarray(this.#count, this.#count + closed.valueCount));
    this.closedTo = Math.floor((hour.at[hour.count - 1] ?? 0) / 1_000) + 1;
    const begin = Math.max(this.#span.from * 1_000, this.#window.after?.at ?? -Infinity);
    const end = Math.min(this.#span.to * 1_000, this.#window.last?.at ?? Infinity);
    if (this.#isAlone(hour, begin, end)) this.#pushAll(hour);
    else this.#pushSome(openHour(closed), begin, end);
  }

  /** Whether a row is whole in the window, without hot values between its own. */
  #isAlone({ at, count }: Hour, begin: number, end: number): boolean {
    const [first = NaN, last = NaN] = [at[0], at[count - 1]];
    return (
      first > Math.max(begin, this.#closedAt) && last < Math.min(end, this.#hot.at(this.#next))
    );
  }

  #pushAll(hour: Hour): void {
    this.reserve(hour.count);
    if (hour.at.buffer !== this.#at.buffer) this.#at.set(hour.at, this.#count);
    hour.numbers(this.#numbers.subarray(this.#count, this.#count + hour.count));
    this.#qualities.set(hour.quality, this.#count);
    this.#count += hour.count;
    if (this.#withTexts)
      for (let index = 0; index < hour.count; index += 1) this.#texts.push(hour.calValue(index));
    this.#closedAt = hour.at[hour.count - 1] ?? NaN;
  }

  #pushSome(hour: Hour, begin: number, end: number): void {
    let index = firstAt(hour.at, begin);
    for (; index < hour.count; index += 1) {
      const at = hour.at[index] ?? NaN;
      if (at > end) break;
      if (at <= this.#closedAt || !this.#isInWindow(hour, index)) continue;
      if (at >= this.#hot.at(this.#next)) this.#hotBefore(at, () => hour.seq(index));
      this.#push(at, hour.number(index) ?? NaN, hour.quality[index] ?? NaN);
      if (this.#withTexts) this.#texts.push(hour.calValue(index));
    }
    this.#closedAt = Math.max(this.#closedAt, hour.at[index - 1] ?? -Infinity);
  }

  #isInWindow(hour: Hour, index: number): boolean {
    const { after, last } = this.#window;
    const at = hour.at[index] ?? NaN;
    if (at !== after?.at && at !== last?.at) return true;
    const place = { at, seq: hour.seq(index) };
    return (!after || inOrder(place, after) > 0) && (!last || inOrder(place, last) <= 0);
  }

  /** Adds the hot values of the window that are left. */
  close(): void {
    for (; this.#next < this.#hot.count; this.#next += 1) this.#pushHot();
  }

  finish(): Columns {
    return {
      at: this.#at.subarray(0, this.#count),
      numbers: this.#numbers.subarray(0, this.#count),
      qualities: this.#qualities.subarray(0, this.#count),
      texts: this.#texts,
    };
  }

  /** Those before a closed value, and without the same one. */
  #hotBefore(at: number, seqOf: () => string): void {
    for (; this.#next < this.#hot.count && this.#hot.at(this.#next) <= at; this.#next += 1) {
      const place = this.#hot.place(this.#next);
      const order = place.at < at ? -1 : inOrder(place, { at, seq: seqOf() });
      if (order > 0) return;
      if (order < 0) this.#pushHot();
    }
  }

  #pushHot(): void {
    const [hot, index] = [this.#hot, this.#next];
    this.#push(hot.at(index), hot.number(index), hot.quality(index));
    if (this.#withTexts) this.#texts.push(hot.text(index));
  }

  #push(at: number, number: number, quality: number): void {
    this.reserve(1);
    this.#at[this.#count] = at;
    this.#numbers[this.#count] = number;
    this.#qualities[this.#count] = quality;
    this.#count += 1;
  }

  /** Makes room for so many more. */
  reserve(more: number): void {
    if (this.#count + more <= this.#at.length) return;
    const room = Math.max(this.#count + more, 2 * this.#at.length);
    const [at, numbers, qualities] = [this.#at, this.#numbers, this.#qualities];
    this.#at = new Float64Array(room);
    this.#at.set(at);
    this.#numbers = new Float64Array(room);
    this.#numbers.set(numbers);
    this.#qualities = new Uint8Array(room);
    this.#qualities.set(qualities);
  }
}
