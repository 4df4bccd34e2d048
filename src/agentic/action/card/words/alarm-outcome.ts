import { LIMIT_WORDS } from '../../../../alarm/rule/preview/preview-answer.ts';
import { counted } from '../../../../kernel/sentence/counted.ts';
import { moment, type Voice } from '../../../../kernel/sentence/voice.ts';
import type { DoneResult, AlarmView } from '../../kind/alarm-card.ts';
import type { Around } from './firmware-outcome.ts';
import { termWords } from './rule-words.ts';

/** Alarms that a sentence names; the card has all. */
const MAX_NAMED = 5;

type RuleView = Extract<AlarmView, { backtest: unknown }>;
type MaintenanceView = Extract<AlarmView, { does: 'MAINTENANCE' }>;

/** What is known of a proposal about alarms or their rules, in one sentence. */
export function sayAlarm(
  alarm: AlarmView,
  result: DoneResult | null,
  around: Around,
  voice: Voice,
): string {
  const { status, expiresAt, notes } = around;
  if (status === 'PENDING' || status === 'PARTIALLY_CONFIRMED') {
    const forWhom =
      status === 'PENDING'
        ? 'it waits for a human to confirm it'
        : 'one human confirmed it, it waits for another';
    return `${wish(alarm, voice)} Not executed: ${forWhom} until ${moment(expiresAt)}.${notes}`;
  }
  if (status === 'REJECTED' || status === 'WITHDRAWN' || status === 'EXPIRED')
    return `${subject(alarm, voice)} ${undone(alarm)}: ${around.undone}. Nothing was changed.`;
  if (alarm.does === 'CONFIRM')
    return `${subject(alarm, voice)} ${verb(alarm)} ${around.confirmed}${leftOut(alarm, result)}.`;
  return `${subject(alarm, voice)} ${done(alarm, result)}, ${around.confirmed}.`;
}

function subject(alarm: AlarmView, voice: Voice): string {
  if (alarm.does === 'SILENCE') return `The alarm ${voice.sentence(alarm.what, 160)}`;
  if (alarm.does === 'MAINTENANCE')
    return `The maintenance ${voice.text(alarm.maintenanceName, 64)}`;
  if (alarm.does !== 'CONFIRM') return `The rule ${voice.text(alarm.ruleName, 64)}`;
  return `${counted(alarm.alarms.length, 'alarm')} (${namesOf(alarm, voice)})`;
}

function namesOf({ alarms }: Extract<AlarmView, { does: 'CONFIRM' }>, voice: Voice): string {
  const named = alarms.slice(0, MAX_NAMED).map(({ what }) => voice.sentence(what, 160));
  const more = alarms.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function wish(alarm: AlarmView, voice: Voice): string {
  if (alarm.does === 'ADD_RULE')
    return `Add the rule ${voice.text(alarm.ruleName, 64)}${watched(alarm, voice)}: ${demandOf(alarm, voice)}.${restOf(alarm, voice)}${tried(alarm)}`;
  if (alarm.does === 'CHANGE_RULE')
    return `Change the rule ${voice.text(alarm.ruleName, 64)}${watched(alarm, voice)} from ${voice.sentence(alarm.conditionBefore, 160)} (${alarm.levelBefore}) to ${demandOf(alarm, voice)}.${restOf(alarm, voice)}${tried(alarm)}`;
  if (alarm.does === 'SILENCE')
    return `Silence the alarm ${voice.sentence(alarm.what, 160)} for ${alarm.hours} h: nobody is notified of its rule at this place.${replaced(alarm, voice)}`;
  if (alarm.does === 'MAINTENANCE')
    return `Plan the maintenance ${voice.text(alarm.maintenanceName, 64)} ${spanOf(alarm)}, of ${placesOf(alarm, voice)}: ${muting(alarm)}`;
  return `Confirm ${counted(alarm.alarms.length, 'alarm')}: ${namesOf(alarm, voice)}.`;
}

const spanOf = ({ begin, end }: MaintenanceView): string =>
  `from ${begin === null ? 'its confirmation' : moment(begin)} to ${moment(end)}`;

function placesOf({ places, scope }: MaintenanceView, voice: Voice): string {
  if (scope === 'PLANT') return 'the whole plant';
  const named = places.slice(0, MAX_NAMED).map((name) => voice.text(name, 48));
  const more = places.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

function muting({ mode, devices, firing }: MaintenanceView): string {
  const effect =
    mode === 'MUTE'
      ? 'no notification of alarms there until its end'
      : 'messages of alarms there say that it is in maintenance';
  return `${effect}. It covers ${counted(devices, 'device')}, where ${counted(firing, 'alarm')} fired when it was proposed.`;
}

const watched = ({ watches }: RuleView, voice: Voice): string =>
  watches === '' ? '' : ` on ${voice.text(watches, 64)}`;

const demandOf = ({ condition, level }: RuleView, voice: Voice): string =>
  `${voice.sentence(condition, 160)} (${level})`;

/** What else the rule says, and the policy that notifies of it. */
function restOf(rule: RuleView, voice: Voice): string {
  const policy =
    rule.notifyName === '' ? [] : [`The policy ${voice.text(rule.notifyName, 64)} notifies of it`];
  return [...termWords(rule, voice), ...policy].map((phrase) => ` ${phrase}.`).join('');
}

/** The silence that is there, which may last longer. */
function replaced({ already }: Extract<AlarmView, { does: 'SILENCE' }>, voice: Voice): string {
  if (already === null) return '';
  return ` It replaces the silence of ${voice.text(already.by, 64)} until ${moment(already.until)}.`;
}

/** How often it would have fired, beside how often the stored rule would have. */
function tried({ backtest }: RuleView): string {
  if (backtest === null) return ' It was not tried on what is stored.';
  const { before, after, devices, from, to, warnings, unknown } = backtest;
  const span = `From ${moment(from)} to ${moment(to)}, on ${counted(devices, 'device')}`;
  const counts =
    before === null
      ? `it would have raised ${counted(after, 'alarm')}`
      : `${counted(before, 'alarm')} before, ${after} after`;
  const limits = [...warnings, ...unknown].map((code) => ` ${LIMIT_WORDS[code]}`).join('');
  return ` ${span}: ${counts}.${limits}`;
}

const PARTICIPLES: Record<AlarmView['does'], string> = {
  ADD_RULE: 'added',
  CHANGE_RULE: 'changed',
  SILENCE: 'silenced',
  CONFIRM: 'confirmed',
  MAINTENANCE: 'planned',
};

const verb = (alarm: AlarmView): string =>
  alarm.does === 'CONFIRM' && alarm.alarms.length > 1 ? 'were' : 'was';

const undone = (alarm: AlarmView): string => `${verb(alarm)} not ${PARTICIPLES[alarm.does]}`;

/** Those that were deleted before they could be confirmed. */
function leftOut(
  { alarms }: Extract<AlarmView, { does: 'CONFIRM' }>,
  result: DoneResult | null,
): string {
  const left = alarms.length - (result?.alarms ?? alarms.length);
  if (left === 0) return '';
  return `, ${left} of them ${left === 1 ? 'is' : 'are'} not there any more`;
}

function done(alarm: AlarmView, result: DoneResult | null): string {
  const participle = PARTICIPLES[alarm.does];
  if (alarm.does === 'SILENCE' && result?.until)
    return `is ${participle} until ${moment(result.until)}`;
  if (alarm.does === 'MAINTENANCE')
    return `was ${participle} until ${moment(alarm.end)}${result?.maintenanceId ? ` (id ${result.maintenanceId})` : ''}`;
  return `was ${participle}${result?.ruleId ? ` (id ${result.ruleId})` : ''}`;
}
