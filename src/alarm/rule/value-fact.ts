import type { Pair } from '../../data/value/pair.ts';
import type { Fact } from './decide.ts';

type Measured = Pair & {
  calValue: string;
  numValue: number | null;
  rawValue: string;
  /** When it was measured (ms). */
  originTime: number;
  seq: bigint;
};

/** What rules see of a value that came at `now`. */
export function factOf(
  { deviceId, pointId, calValue, numValue, rawValue, originTime, seq }: Measured,
  driverId: string,
  now: number,
): Fact {
  const createTime = new Date(originTime).toISOString();
  const said = { calValue, numValue, rawValue, value: numValue ?? calValue, createTime };
  const values = { ...said, deviceId, pointId, driverId };
  // Capped at reception: after a clock that was ahead is corrected, its values are not too old for rules.
  const at = Math.min(originTime, now);
  return { entityId: pointId, deviceId, pointId, driverId, values, at, seq };
}
