import type { Selectable } from 'kysely';

import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import type { Notifications } from '../alarm/notifications.ts';
import type { Acknowledged } from '../alarm/summary.ts';
import { reasonWords } from '../kind/held-back.ts';
import { endReasonOf } from '../message/episode-text.ts';

/** A step of an alarm; times are ISO-8601. */
export type Step = { at: string; what: string; by?: string };

/**
 * What happened to an alarm, oldest first: the firing, silence of its policy, the end, the confirmation and by whom; times
 * within a sentence are in `zone`.
 */
export function timelineOf(
  alarm: Selectable<EntityAlarmTable>,
  { told, acknowledged }: { told: readonly Notifications[]; acknowledged: Acknowledged | null },
  zone?: string,
): Step[] {
  const { createTime, firstTriggerTime, lastRecoverTime, confirmTime, confirmUserName } = alarm;
  const begin = firstTriggerTime ?? createTime;
  const steps: Step[] = [
    { at: begin.toISOString(), what: alarm.stateFlag === null ? 'reported' : 'fired' },
  ];
  for (const { reason, channel, at } of told.filter(({ status }) => status === null))
    steps.push({
      at: new Date(at).toISOString(),
      what: `not sent to ${channel === null ? 'a channel' : quoted(channel)}: ${reasonWords(reason, zone)}`,
    });
  if (acknowledged)
    steps.push({
      at: acknowledged.at,
      what: `acknowledged by the receiver of ${acknowledged.channel === null ? 'a channel' : quoted(acknowledged.channel)}`,
    });
  if (lastRecoverTime) steps.push({ at: lastRecoverTime.toISOString(), what: 'recovered' });
  const ended = endReasonOf(alarm);
  if (ended !== '')
    steps.push({
      // A later confirmation is the last operation on the alarm; when it ended is in the change log then.
      at: (confirmTime ?? alarm.operateTime).toISOString(),
      what: `ended without recovery: ${ended}`,
    });
  if (confirmTime)
    steps.push({
      at: confirmTime.toISOString(),
      what: confirmUserName === null ? 'confirmed by its policy' : 'confirmed',
      ...(confirmUserName === null ? {} : { by: confirmUserName }),
    });
  return steps.toSorted((a, b) => a.at.localeCompare(b.at));
}
