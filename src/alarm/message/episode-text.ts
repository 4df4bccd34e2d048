import type { Selectable } from 'kysely';

import type { EntityAlarmTable } from '../../db/schema/alarm.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { demandText } from '../alarm/demand.ts';
import type { EndReason } from '../alarm/episode.ts';
import {
  firedAt,
  firingOf,
  isOfPoint,
  limitOf,
  marginOf,
  type Measured,
  unitOf,
} from '../alarm/firing.ts';
import { devicesWords, isQuantified, ofDevices } from '../kind/aggregate.ts';
import { fieldIn, isSet, namedIn } from '../kind/condition.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { durationWords, lengthWords } from '../kind/duration.ts';
import { DEVIATIONS } from '../kind/fact-field.ts';
import { RuleStatus } from '../kind/rule-status.ts';
import { holdOf, modeWords } from '../kind/window.ts';
import type { AlarmEvent } from './alarm-event.ts';

/** An episode of an alarm until a message of it, in words where there are some; texts are empty where nothing is known. */
export type EpisodeText = {
  /** What was measured when it fired; null without a rule. */
  fired: Measured | null;
  text: string;
  /** What its rule says to do. */
  instruction: string;
  /** Begin of its episode (ms); null for a report, which has none. */
  since: number | null;
  lasted: string;
  /** The number of the reminder; 0: none. */
  reminder: number;
  /** Why it ended without a recovery. */
  endReason: string;
  /** Names of the other channels that know of the alarm. */
  sentTo: readonly string[];
  /** Why the channel gets it; empty: it always does. */
  note: string;
  link: string;
  /** What its point has now, of a message later than its begin; empty for others. */
  present: string;
};

const ENDS: Record<EndReason, string> = {
  RULE_CHANGED: 'its rule was changed',
  RULE_DISABLED: 'its rule was disabled',
  RULE_DELETED: 'its rule was deleted',
  PLACE_DISABLED: 'its device, point, profile or driver was disabled',
  PLACE_DELETED: 'its device, point or driver is not there any more',
  PLACE_LEFT: 'its device is not among those that the rule watches any more',
};
const isReason = (text: string): text is EndReason => Object.hasOwn(ENDS, text);

/** Why an alarm ended without a recovery; empty otherwise. */
export const endReasonOf = ({ endReason }: { endReason: string }): string =>
  isReason(endReason) ? ENDS[endReason] : '';

type Alarm = Selectable<EntityAlarmTable>;

/** Whether an event is the end of an alarm for a channel alone: it fires on, and is not sent there any more. */
export const leavesOpen = ({ stateFlag }: Pick<Alarm, 'stateFlag'>, event: NoticeEvent): boolean =>
  event === 'RECOVERED' && stateFlag === RuleStatus.FIRING;

/** The reason of such an end. */
export const UNSENT = 'it is no longer sent to this channel';

type Told = {
  event: NoticeEvent;
  now: number;
  pointName: string;
  reminder: number;
  sentTo: readonly string[];
  note: string;
  link: string;
  present: string;
};

/** Values older than this are said in the past. */
const MINUTE_MS = 60_000;

/** Whether a message says what the point has now: the value that fired is not that of now. */
export const saysPresent = (
  { createTime }: Pick<Alarm, 'createTime'>,
  { event, reminder, now }: Pick<Told, 'event' | 'reminder' | 'now'>,
): boolean => event === 'FIRED' && (reminder > 0 || now - createTime.getTime() > MINUTE_MS);

/** The episode of a stored alarm; `live`: the event that the message is about, if it is not of the past. */
export function episodeTextOf(alarm: Alarm, live: AlarmEvent | undefined, told: Told): EpisodeText {
  const { event, now, pointName, reminder } = told;
  const { firstTriggerTime, lastRecoverTime, operateTime, createTime } = alarm;
  const fired = firingOf(alarm.alarmExt);
  const since = (firstTriggerTime ?? createTime).getTime();
  const isOpen = leavesOpen(alarm, event);
  const until = event === 'FIRED' || isOpen ? now : (lastRecoverTime ?? operateTime).getTime();
  const lasted = lengthWords(until - since);
  const endReason = isOpen ? UNSENT : event === 'FIRED' ? '' : endReasonOf(alarm);
  const measuredAt = Math.min(live?.occurTime ?? now, createTime.getTime());
  const isNow = event === 'FIRED' && now - measuredAt <= MINUTE_MS;
  const ended = fired && live?.endValues ? { ...fired, values: live.endValues } : null;
  const what = ended
    ? endText(ended, pointName)
    : fired
      ? firedText(fired, { pointName, isNow })
      : (live?.message ?? alarm.message);
  const isReport = alarm.stateFlag === null;
  const text = `${leadOf({ event, reminder, lasted, endReason, isReport })}${what}`;
  const { sentTo, note, link, present } = told;
  return {
    fired,
    text,
    instruction: fired?.instruction ?? '',
    since: isReport ? null : since,
    lasted,
    reminder,
    endReason,
    sentTo,
    note,
    link,
    present,
  };
}

type Lead = Pick<EpisodeText, 'reminder' | 'lasted' | 'endReason'> & {
  event: NoticeEvent;
  isReport: boolean;
};

function leadOf({ event, reminder, lasted, endReason, isReport }: Lead): string {
  if (endReason === UNSENT) return `No longer sent here, still firing after ${lasted}: `;
  if (event === 'RECOVERED')
    return `Over after ${lasted}${endReason === '' ? '' : `, because ${endReason}`}: `;
  if (reminder === 0) return '';
  const goesOn = isReport ? `Not confirmed for ${lasted}` : `Still firing after ${lasted}`;
  return `${goesOn} (reminder ${reminder}): `;
}

type Said = { pointName: string; isNow: boolean };

/** `“Flow temperature” is 84 °C, above 80 °C by 4 °C, held for 5 min`. */
export function firedText(measured: Measured, { pointName, isNow }: Said): string {
  const { condition, window, aggregate } = measured;
  const subject = subjectOf(measured, pointName);
  const hold = holdOf(window);
  const held = hold === undefined ? '' : ` for ${durationWords(hold)}`;
  if (condition.operator === 'nodata') return `${subject} sent no value${held}`;
  if (isSet(condition)) return `${subject}: ${demandText(measured, '')}`;
  const devices = ofWhich(measured);
  if (isQuantified(aggregate))
    return `${subject}: ${demandText(measured, unitOf(measured))}${devices}`;
  const relation = relationOf(measured);
  const value = firedAt(measured) ?? 'missing';
  return [
    `${subject} ${isNow ? 'is' : 'was'} ${value}`,
    ...(relation === '' ? [] : [relation]),
    ...(held === '' ? [] : [`held${held}`]),
  ]
    .join(', ')
    .concat(devices);
}

/** Of which devices, where they are judged together. */
const ofWhich = ({ aggregate, values }: Measured): string =>
  aggregate ? `, ${devicesWords(values)}` : '';

function endText(measured: Measured, pointName: string): string {
  const { condition, aggregate } = measured;
  const subject = subjectOf(measured, pointName);
  if (condition.operator === 'nodata') return `${subject} sent a value`;
  const isEach = isQuantified(aggregate);
  const ended =
    isSet(condition) || isEach
      ? `: no longer ${demandText(measured, isEach ? unitOf(measured) : '')}`
      : ` is ${firedAt(measured) ?? 'missing'}`;
  return `${subject}${ended}${ofWhich(measured)}`;
}

function subjectOf({ condition, window, aggregate }: Measured, pointName: string): string {
  const field = fieldIn(condition);
  const point = `${pointName === '' ? 'the value' : quoted(pointName)}${ofDevices(aggregate)}`;
  if (DEVIATIONS.has(field ?? ''))
    return `the deviation of ${point} from the median of its group${modeWords(window)}`;
  return `${field === undefined || isOfPoint(field) ? point : namedIn(condition)}${modeWords(window)}`;
}

const RELATIONS: Readonly<Record<string, string>> = {
  '>': 'above',
  '>=': 'at or above',
  '<': 'below',
  '<=': 'at or below',
  '!=': 'not',
  ne: 'not',
  contains: 'which contains',
  between: 'within',
  outside: 'outside of',
};

/** How the value was to its limit; empty where the value says it: `== 1`. */
function relationOf(measured: Measured): string {
  const word = RELATIONS[measured.condition.operator];
  if (word === undefined) return '';
  const margin = marginOf(measured);
  const by = margin === null || /^0(?: |$)/.test(margin) ? '' : ` by ${margin}`;
  return `${word} ${limitOf(measured)}${by}`;
}
