import type { Queries } from '../../db/connect.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import { isWithin } from '../../kernel/time-window.ts';
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
