import { IMPORTED } from '../../../data/value/imported.ts';
import { factOf } from '../../condition/value-fact.ts';
import type { Arrived, Place } from './replay.ts';

/** Of a page, each row in `ROW` bytes, as base64, which both engines hand over fastest; null of none. */
export type Packed = { numbers: string | null; texts: Text[] | null };
/** What is not a plain number, in the order of the rows. */
type Text = { cal: string; raw: string; issue: string | null; driver: string };

/** Times when it was measured and received, number and order of 8 bytes each, and its quality in 2. */
const ROW = 34;
/** Of the quality of a row that has a text beside it. */
export const TEXT = 256;

/** From the epoch to that of the times of the server (ms). */
const SERVER_EPOCH_MS = Date.UTC(2000, 0);

/** Values by their place on a page, the newest first. Times in ms since the epoch. */
export type Page = {
  readonly count: number;
  measuredAt(index: number): number;
  seqAt(index: number): bigint;
  arrivedAt(index: number): number;
  factAt(index: number, place: Place, withTime: boolean): Arrived;
};

/** Values as they were packed. */
export class PackedPage implements Page {
  readonly count: number;
  readonly #view: DataView;
  readonly #texts = new Map<number, Text>();

  constructor(numbers: string, texts: readonly Text[]) {
    const bytes = Buffer.from(numbers, 'base64');
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.count = bytes.byteLength / ROW;
    let next = 0;
    for (let index = 0; next < texts.length && index < this.count; index += 1) {
      const text = this.#view.getInt16(index * ROW + 32) < TEXT ? undefined : texts[next];
      if (!text) continue;
      this.#texts.set(index, text);
      next += 1;
    }
  }

  measuredAt(index: number): number {
    return this.#timeAt(index * ROW);
  }

  seqAt(index: number): bigint {
    return this.#view.getBigInt64(index * ROW + 24);
  }

  /** A value that was imported counts as one that came when it was measured. */
  arrivedAt(index: number): number {
    const isImported = this.#texts.get(index)?.issue === IMPORTED;
    return this.#timeAt(index * ROW + (isImported ? 0 : 8));
  }

  /** A number whose text says no more is its own text: rules compare both alike, and it costs nothing to make. */
  factAt(
    index: number,
    { deviceId, pointId, pointType, driverId }: Place,
    withTime: boolean,
  ): Arrived {
    const number = this.#view.getFloat64(index * ROW + 16);
    const text = this.#texts.get(index);
    const now = this.arrivedAt(index);
    const value = {
      deviceId,
      pointId,
      pointType,
      calValue: text?.cal ?? number,
      numValue: Number.isNaN(number) ? null : number,
      rawValue: text?.raw ?? number,
      quality: this.#view.getInt16(index * ROW + 32) % TEXT,
      originTime: this.measuredAt(index),
      seq: this.seqAt(index),
    };
    return { fact: factOf(value, text?.driver ?? driverId, now, withTime), now };
  }

  /** In ms since the epoch. */
  #timeAt(offset: number): number {
    const micros = this.#view.getInt32(offset) * 2 ** 32 + this.#view.getUint32(offset + 4);
    return SERVER_EPOCH_MS + Math.floor(micros / 1000);
  }
}

/** The values of a place in the order in which they came, which is nearly always that in which they were measured. */
export function inOrder(
  place: Place,
  pages: readonly Page[],
  withTime: boolean,
): { count: number; facts: Iterable<Arrived> } {
  const count = pages.reduce((sum, page) => sum + page.count, 0);
  const now = new Float64Array(count);
  const at = new Float64Array(count);
  const pageAt = new Uint32Array(count);
  const indexAt = new Uint32Array(count);
  // From the oldest on: the pages have the newest first.
  let next = count;
  for (const [number, page] of pages.entries())
    for (let index = 0; index < page.count; index += 1) {
      next -= 1;
      const arrived = page.arrivedAt(index);
      now[next] = arrived;
      at[next] = Math.min(page.measuredAt(index), arrived);
      pageAt[next] = number;
      indexAt[next] = index;
    }
  const seqOf = (each: number): bigint => pages[pageAt[each] ?? 0]?.seqAt(indexAt[each] ?? 0) ?? 0n;
  const compare = (a: number, b: number): number =>
    (now[a] ?? 0) - (now[b] ?? 0) ||
    (at[a] ?? 0) - (at[b] ?? 0) ||
    Number(seqOf(a) - seqOf(b)) ||
    b - a;
  const order = Uint32Array.from({ length: count }, (_, each) => each);
  if (order.some((each) => each > 0 && compare(each - 1, each) > 0)) order.sort(compare);
  const facts = {
    *[Symbol.iterator](): Generator<Arrived> {
      for (const each of order) {
        const fact = pages[pageAt[each] ?? 0]?.factAt(indexAt[each] ?? 0, place, withTime);
        if (fact) yield fact;
      }
    },
  };
  return { count, facts };
}
