import type { Queries } from '../../db/connect.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import { isWithin, secondOf } from '../../kernel/time-window.ts';
import type { RuleContent } from '../kind/rule-ext.ts';

/** Whether a rule is active at a time (ms). */
export const isActive = ({ schedule }: RuleContent, at: number): boolean =>
  schedule === undefined ||
  schedule.some(({ timezone = UTC, ...hours }) => isWithin({ ...hours, timezone }, at));

/** What a rule says, with the time zone of the plant where its hours name none. */
export async function withZone(
  q: Queries,
  tenantId: string,
  content: RuleContent,
): Promise<RuleContent> {
  const { schedule } = content;
  if (!schedule || schedule.every(({ timezone }) => timezone !== undefined)) return content;
  const tenant = await q
    .selectFrom('svc_tenant')
    .select('timezone')
    .where('id', '=', tenantId)
    .executeTakeFirst();
  const zone = tenant?.timezone ?? UTC;
  return { ...content, schedule: schedule.map((hours) => ({ timezone: zone, ...hours })) };
}

const DAY_S = 86_400;
const WEEK_S = 7 * DAY_S;
const ALL_DAYS = [1, 2, 3, 4, 5, 6, 7];

/** The longest time (ms) without a break in which a rule is active; Infinity where that cannot be said: hours of several zones. */
export function longestActive({ schedule }: Pick<RuleContent, 'schedule'>): number {
  if (!schedule || new Set(schedule.map(({ timezone }) => timezone)).size > 1) return Infinity;
  const spans = schedule.flatMap(({ start, end, daysOfWeek }) => {
    const begin = secondOf(start);
    const length = secondOf(end) - begin;
    return (daysOfWeek.length > 0 ? daysOfWeek : ALL_DAYS).map((day) => {
      const from = (day - 1) * DAY_S + begin;
      return { from, to: from + (length > 0 ? length : length + DAY_S) };
    });
  });
  // What goes on into the next week is found there.
  const again = spans.map(({ from, to }) => ({ from: from + WEEK_S, to: to + WEEK_S }));
  let [longest, from, to] = [0, 0, -1];
  for (const span of [...spans, ...again].toSorted((a, b) => a.from - b.from)) {
    if (span.from > to) from = span.from;
    to = Math.max(to, span.to);
    longest = Math.max(longest, to - from);
  }
  return longest >= WEEK_S ? Infinity : longest * 1_000;
}
