import { durationMs } from '../../kind/duration.ts';
import type { RuleContent } from '../../kind/rule-ext.ts';
import { holdMs } from '../../kind/window.ts';
import { SCAN_MS } from '../replay/replay.ts';
import type { RulePreview } from './preview-answer.ts';
import { backSide, type Run, type Runs } from './runs.ts';

type Suggested = RulePreview['suggested'];

export const NOTHING: Suggested = { hold: null, recovery: null };
/** Fewer alarms need no advice. */
const MIN_ALARMS = 3;
const HALF = 2;
const MORE = 5;
const MINUTE_MS = 60_000;
const HOLDS = [0.5, 1, 2, 5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 240];
const STEPS = [1, 2, 5];
const MAX_DIGITS = 12;

/** How a rule would be over: whether it is after a run, by the value farthest back. */
type Way = { holdMs: number; isOver(run: Run, runs: Runs): boolean };

/**
 * A hold time, and a recovery farther from the limit, each of which alone would leave fewer alarms of those that were
 * raised, and how many. Counted by the times in which the condition matched; nothing is suggested where these do not
 * come to the alarms that the decisions raised.
 */
export function suggestedOf(
  content: RuleContent,
  { all, raised, until }: { all: readonly Runs[]; raised: number; until: number },
): Suggested {
  const now = wayOf(content);
  if (raised < MIN_ALARMS || !now || !all.every(({ isWhole }) => isWhole)) return NOTHING;
  const count = (way: Way): number =>
    all.reduce((sum, runs) => sum + firedBy(runs, way, until).count, 0);
  if (count(now) !== raised) return NOTHING;
  const holds = HOLDS.map((minutes) => minutes * MINUTE_MS)
    .filter((ms) => ms > now.holdMs)
    .map((ms) => ({ size: ms, duration: isoOf(ms), count: count({ ...now, holdMs: ms }) }));
  const hold = mildest(holds, raised);
  const recovery = mildest(recoveriesOf(content, { all, now, until }), raised);
  return {
    hold: hold && { duration: hold.duration, count: hold.count },
    recovery: recovery && {
      operator: recovery.operator,
      threshold: recovery.threshold,
      count: recovery.count,
    },
  };
}

/** How the rule is over as it is; null where more than the farthest value decides that, or gaps count. */
function wayOf({ recovery, window }: RuleContent): Way | null {
  const { enabled, operator, threshold, duration } = recovery;
  if (window.maxGap !== undefined) return null;
  const held = holdMs(window);
  if (!enabled) return { holdMs: held, isOver: () => false };
  if (durationMs(duration ?? 'PT0S') !== 0) return null;
  if (operator === undefined || threshold === undefined)
    return { holdMs: held, isOver: ({ to }) => to !== null };
  const isOver: Way['isOver'] = ({ back }, { rule }) => {
    const own = rule.content.recovery.threshold ?? threshold;
    if (back === null) return false;
    return operator.endsWith('=') && back === own ? true : (back - own) * sideOf(operator) > 0;
  };
  return ['<', '<=', '>', '>='].includes(operator) ? { holdMs: held, isOver } : null;
}

const sideOf = (operator: string): number => (operator.startsWith('<') ? -1 : 1);

type Fired = { count: number; ended: number };

/** The alarms of one place, and how many of them end. */
function firedBy(runs: Runs, { holdMs: held, isOver }: Way, until: number): Fired {
  let isFiring = false;
  const fired = { count: 0, ended: 0 };
  for (const run of runs.all) {
    const { from, last, to } = run;
    if (!isFiring && (last - from >= held || (to ?? until) - from - held >= SCAN_MS)) {
      isFiring = true;
      fired.count += 1;
    }
    if (!isFiring || !isOver(run, runs)) continue;
    isFiring = false;
    fired.ended += 1;
  }
  return fired;
}

type Sized = { size: number };
type Recovery = NonNullable<Suggested['recovery']>;

/** Recoveries farther from the limit than that of the rule, by which alarms of each place still end. */
function recoveriesOf(
  content: RuleContent,
  { all, now, until }: { all: readonly Runs[]; now: Way; until: number },
): (Recovery & Sized)[] {
  const { condition, recovery } = content;
  const side = backSide({ content });
  if (side === null || !('threshold' in condition) || !recovery.enabled) return [];
  const limit = condition.threshold;
  const bandOf = (threshold: number): number => (threshold - limit) * side;
  const least = recovery.threshold === undefined ? 0 : bandOf(recovery.threshold);
  const operator = side < 0 ? '<=' : '>=';
  return bandsOf(all, side)
    .filter((band) => band > least)
    .flatMap((band): (Recovery & Sized)[] => {
      const isOver: Way['isOver'] = ({ back }, { rule }) =>
        back !== null && (back - beyond(limitOf(rule.content, limit), band * side)) * side >= 0;
      const found = all.map((runs) => ({
        was: firedBy(runs, now, until),
        is: firedBy(runs, { ...now, isOver }, until),
      }));
      if (found.some(({ was, is }) => was.ended > 0 && is.ended === 0)) return [];
      const count = found.reduce((sum, { is }) => sum + is.count, 0);
      return [{ size: band, operator, threshold: beyond(limit, band * side), count }];
    });
}

const limitOf = ({ condition }: RuleContent, limit: number): number =>
  'threshold' in condition ? condition.threshold : limit;

const beyond = (limit: number, band: number): number =>
  Number((limit + band).toPrecision(MAX_DIGITS));

/** Round distances from the limit, from the least to the greatest that values went back. */
function bandsOf(all: readonly Runs[], side: -1 | 1): number[] {
  const distances = all.flatMap(({ all: runs, rule: { content } }) =>
    runs.flatMap(({ back }) => {
      const distance = back === null ? 0 : (back - limitOf(content, 0)) * side;
      return distance > 0 ? [distance] : [];
    }),
  );
  let [least, most] = [Infinity, 0];
  for (const distance of distances) {
    least = Math.min(least, distance);
    most = Math.max(most, distance);
  }
  if (most === 0) return [];
  const last = Math.ceil(Math.log10(most));
  const first = Math.max(Math.floor(Math.log10(least)), last - MAX_DIGITS / 2);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at)
    .flatMap((power) => STEPS.map((step) => Number(`${step}e${power}`)))
    .filter((band) => band <= most);
}

/**
 * The mildest that leaves half of the alarms, or one that leaves half of those again and is at most five times as much;
 * null where none leaves half, or one at least. `tried` begins with the mildest.
 */
function mildest<T extends Sized & { count: number }>(
  tried: readonly T[],
  raised: number,
): T | null {
  let best: T | null = null;
  for (const one of tried) {
    if (one.count === 0 || one.count * HALF > (best?.count ?? raised)) continue;
    if (best === null || one.size <= best.size * MORE) best = one;
  }
  return best;
}

function isoOf(ms: number): string {
  const minutes = ms / MINUTE_MS;
  if (minutes < 1) return `PT${ms / 1_000}S`;
  return minutes % 60 === 0 ? `PT${minutes / 60}H` : `PT${minutes}M`;
}

const WORST_MS = 10 * MINUTE_MS;

/** The ten minutes in which most alarms began; the first of those. `at` is null without any alarm. */
export function worstOf(fired: readonly number[]): RulePreview['worst'] {
  const sorted = fired.toSorted((a, b) => a - b);
  let worst: { count: number; at: number | null } = { count: 0, at: null };
  let end = 0;
  for (const [begin, at] of sorted.entries()) {
    while (end < sorted.length && (sorted[end] ?? Infinity) < at + WORST_MS) end += 1;
    if (end - begin > worst.count) worst = { count: end - begin, at };
  }
  return { count: worst.count, at: worst.at === null ? null : new Date(worst.at).toISOString() };
}
