import type { Report } from '../../sdk/driver.ts';
import { readingOf, timeIn } from '../device/reading.ts';
import type { Candidate, Remark } from './body.ts';

/** How far the clock of a sender may be ahead: as far as a stored value may. */
const MAX_AHEAD_MS = 120_000;

type Validated = {
  reports: Report[];
  refused: Remark[];
  /** Stored as BAD: what came is no value of its point, and a gap would not say so. */
  bad: Remark[];
};

/** The values that are stored of what came at `receivedAt` (ms since the epoch), and what is said of the others. */
export function validated(candidates: readonly Candidate[], receivedAt: number): Validated {
  const untimed = new Map<string, number>();
  for (const candidate of candidates)
    if (candidate.time === undefined)
      untimed.set(keyOf(candidate), (untimed.get(keyOf(candidate)) ?? 0) + 1);
  const found: Validated = { reports: [], refused: [], bad: [] };
  for (const candidate of candidates) {
    const { at, target, bound } = candidate;
    const refuse = (code: Remark['code'], message: string): void =>
      void found.refused.push({ at, code, message: `${bound.key}: ${message}` });
    if ((untimed.get(keyOf(candidate)) ?? 0) > 1) {
      refuse('TIME_MISSING', 'of several values of a point each needs its time');
      continue;
    }
    const time = timeOf(candidate, receivedAt);
    if (typeof time !== 'number') {
      refuse(time.code, time.message);
      continue;
    }
    const reading = readingOf(candidate, time);
    if (reading.invalid)
      found.bad.push({ at, code: 'VALUE_BAD', message: `${bound.key}: ${reading.issue}` });
    found.reports.push({ device: target.device, point: bound.point, reading });
  }
  return found;
}

const keyOf = ({ target, bound }: Candidate): string => `${target.device.id}/${bound.point.id}`;

function timeOf(
  { time: given, target }: Candidate,
  receivedAt: number,
): number | Pick<Remark, 'code' | 'message'> {
  if (given === undefined) return receivedAt;
  const time = timeIn(given);
  if (time === null)
    return {
      code: 'TIME_INVALID',
      message: 'the time must be RFC 3339 with its offset, or a number since 1970',
    };
  if (time > receivedAt + MAX_AHEAD_MS)
    return { code: 'TIME_FUTURE', message: `the time is ${secondsOf(time - receivedAt)} ahead` };
  if (time < receivedAt - target.settings.oldestS * 1_000)
    return { code: 'TIME_TOO_OLD', message: `the time is ${secondsOf(receivedAt - time)} ago` };
  return time;
}

const secondsOf = (ms: number): string => `${Math.floor(ms / 1_000)} s`;
