import { type AttributeType, Quality } from '../../bus/topic/topics.ts';
import type { Pair } from '../../data/value/pair.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import type { Fact } from './fact.ts';

type Measured = Pair & {
  pointType?: AttributeType | undefined;
  /** The value as text, or the number that this text says. */
  calValue: string | number;
  numValue: number | null;
  rawValue: string | number;
  quality: number;
  /** When it was measured (ms). */
  originTime: number;
  seq: bigint;
};

/**
 * What rules see of a value that came at `now`: of a bad one, which is no measurement, its quality alone. The text of the
 * time at which it was measured costs more than the rest; rules that do not compare it can do without.
 */
export function factOf(
  {
    deviceId,
    pointId,
    pointType,
    calValue,
    numValue,
    rawValue,
    quality,
    originTime,
    seq,
  }: Measured,
  driverId: string,
  now: number,
  withTime = true,
): Fact {
  const createTime = withTime ? new Date(originTime).toISOString() : null;
  const name = nameOf(Quality, quality);
  const values =
    quality === Quality.BAD
      ? { quality: name, createTime, deviceId, pointId, driverId }
      : {
          calValue,
          numValue,
          rawValue,
          value: numValue ?? calValue,
          quality: name,
          createTime,
          deviceId,
          pointId,
          driverId,
        };
  // Capped at reception: after a clock that was ahead is corrected, its values are not too old for rules.
  const at = Math.min(originTime, now);
  return { entityId: pointId, deviceId, pointId, pointType, driverId, values, at, seq };
}
