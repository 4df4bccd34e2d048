import { z } from 'zod';

import { Quality } from '../../../src/bus/topic/topics.ts';
import { portions } from '../batches.ts';
import type { Batch } from './record.ts';

/** As in `svc.e.value`. */
const MAX_MARKS = 5_000;
/** Size of a mark in JSON. */
const MARK_BYTES = 450;

const Gap = z.object({
  driverId: z.string(),
  driverCode: z.string(),
  node: z.string(),
  deviceId: z.string(),
  pointId: z.string(),
  dropped: z.number().int().positive(),
  from: z.number(),
  to: z.number(),
  /** Of the first dropped value. */
  seq: z.number().int().nonnegative(),
});
type Gap = z.output<typeof Gap>;

export const GapFile = z.object({
  /** The segment that was dropped last; 0 for none. */
  dropping: z.number().int().nonnegative(),
  gaps: z.array(Gap),
});
export type GapFile = z.output<typeof GapFile>;

/** Dropped values of one driver, in a sentence's parts. */
export type Loss = {
  driverId: string;
  driverCode: string;
  dropped: number;
  points: number;
  from: number;
  to: number;
};

/** What was dropped of a tenant: one gap per point, from its first dropped value to its last. */
export class Gaps {
  readonly #gaps = new Map<string, Gap>();

  constructor(gaps: readonly Gap[] = []) {
    for (const gap of gaps) this.#merge(gap);
  }

  get isEmpty(): boolean {
    return this.#gaps.size === 0;
  }

  /** Answers the number of values. */
  add(batches: readonly Batch[]): number {
    let dropped = 0;
    for (const { driverId, driverCode, node, values } of batches)
      for (const { deviceId, pointId, originTime, seq } of values) {
        const when = { from: originTime, to: originTime, seq, dropped: 1 };
        this.#merge({ driverId, driverCode, node, deviceId, pointId, ...when });
        dropped += 1;
      }
    return dropped;
  }

  merge(others: Gaps): void {
    for (const gap of others.list()) this.#merge(gap);
  }

  list(): Gap[] {
    return [...this.#gaps.values()];
  }

  /**
   * A BAD value for each point at the time of its first dropped value. It has the key of that value: where that was
   * stored all the same, the mark changes nothing.
   */
  marks(tenantId: string): Batch[] {
    const ofDrivers = Map.groupBy(
      this.#gaps.values(),
      ({ driverId, node }) => `${driverId} ${node}`,
    );
    return [...ofDrivers.values()].flatMap((gaps) =>
      portions(gaps, MAX_MARKS, () => MARK_BYTES).flatMap((part) => {
        const [first] = part;
        if (!first) return [];
        const { driverId, driverCode, node } = first;
        return [{ tenantId, driverId, driverCode, node, values: part.map(markOf) }];
      }),
    );
  }

  losses(): Loss[] {
    const ofDrivers = Map.groupBy(this.#gaps.values(), ({ driverId }) => driverId);
    return [...ofDrivers].map(([driverId, gaps]) => ({
      driverId,
      driverCode: gaps[0]?.driverCode ?? '',
      dropped: gaps.reduce((sum, gap) => sum + gap.dropped, 0),
      points: gaps.length,
      from: gaps.reduce((least, { from }) => Math.min(least, from), Infinity),
      to: gaps.reduce((most, { to }) => Math.max(most, to), -Infinity),
    }));
  }

  #merge(gap: Gap): void {
    const key = `${gap.driverId} ${gap.deviceId} ${gap.pointId}`;
    const other = this.#gaps.get(key);
    if (!other) return void this.#gaps.set(key, { ...gap });
    other.dropped += gap.dropped;
    other.to = Math.max(other.to, gap.to);
    if (gap.from < other.from) Object.assign(other, { from: gap.from, seq: gap.seq });
  }
}

const markOf = ({ deviceId, pointId, dropped, from, to, seq }: Gap): Batch['values'][number] => ({
  deviceId,
  pointId,
  rawValue: '',
  calValue: '',
  numValue: null,
  quality: Quality.BAD,
  originTime: from,
  seq,
  dropped,
  issue: `${dropped} values until ${new Date(to).toISOString()} were dropped: the message bus was unavailable and the spool of the driver full`,
});
