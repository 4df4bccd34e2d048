import { type ClosedHour, DAY_MS, openHour } from '../../../data/history/closed.ts';
import { IMPORTED } from '../../../data/value/imported.ts';
import { factOf } from '../../condition/value-fact.ts';
import type { Page } from './packed-values.ts';
import type { Arrived, Place } from './replay.ts';

/** Values of hot rows by the day (ms) in which they were measured, as `time.sequence`. */
export type Known = ReadonlyMap<number, ReadonlySet<string>>;

const dayOf = (ms: number): number => Math.floor(ms / DAY_MS) * DAY_MS;

/** The values that were read of hot rows already: an hour that was closed meanwhile has some of them too. */
export function knownOf(pages: readonly Page[]): Known {
  const known = new Map<number, Set<string>>();
  for (const page of pages)
    for (let index = 0; index < page.count; index += 1) {
      const at = page.measuredAt(index);
      known
        .getOrInsertComputed(dayOf(at), () => new Set())
        .add(`${at}.${page.seqAt(index).toString()}`);
    }
  return known;
}

/** The values of closed hours in a span (ms, both included), the newest first. */
export class ClosedPage implements Page {
  readonly count: number;
  readonly #hour: ReturnType<typeof openHour>;
  readonly #indexes: number[] = [];
  readonly #driverId: string;

  constructor(closed: ClosedHour, { from, to }: { from: number; to: number }, known: Known) {
    this.#hour = openHour(closed);
    this.#driverId = closed.driverId;
    const twice = known.get(dayOf(closed.start.getTime()));
    for (let index = this.#hour.count - 1; index >= 0; index -= 1) {
      const at = this.#hour.at[index] ?? NaN;
      if (at < from * 1_000 || at > to * 1_000) continue;
      if (twice?.has(`${Math.floor(at / 1_000)}.${this.#hour.seq(index)}`)) continue;
      this.#indexes.push(index);
    }
    this.count = this.#indexes.length;
  }

  #placeOf(index: number): number {
    return this.#indexes[index] ?? NaN;
  }

  measuredAt(index: number): number {
    return Math.floor((this.#hour.at[this.#placeOf(index)] ?? NaN) / 1_000);
  }

  seqAt(index: number): bigint {
    return BigInt(this.#hour.seq(this.#placeOf(index)));
  }

  arrivedAt(index: number): number {
    const place = this.#placeOf(index);
    const isImported = this.#hour.issue(place) === IMPORTED;
    const at = isImported ? this.#hour.at[place] : this.#hour.received(place);
    return Math.floor((at ?? NaN) / 1_000);
  }

  factAt(index: number, { deviceId, pointId, pointType }: Place, withTime: boolean): Arrived {
    const { at, seq, calValue, numValue, rawValue, quality, driverId } = this.#hour.value(
      this.#placeOf(index),
    );
    const now = this.arrivedAt(index);
    const value = {
      deviceId,
      pointId,
      pointType,
      calValue,
      numValue,
      rawValue,
      quality,
      originTime: Math.floor(at / 1_000),
      seq: BigInt(seq),
    };
    return { fact: factOf(value, driverId || this.#driverId, now, withTime), now };
  }
}
