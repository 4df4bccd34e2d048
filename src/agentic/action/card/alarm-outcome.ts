import { moment, type Voice } from '../../../kernel/sentence/voice.ts';
import type { AlarmResult, AlarmView } from '../kind/alarm-card.ts';
import type { Around } from './firmware-outcome.ts';

/** Alarms that a sentence names; the card has all. */
const MAX_NAMED = 5;

type RuleView = Extract<AlarmView, { backtest: unknown }>;
type MaintenanceView = Extract<AlarmView, { does: 'MAINTENANCE' }>;

/** What is known of a proposal about alarms or their rules, in one sentence. */
export function sayAlarm(
  alarm: AlarmView,
  result: AlarmResult | null,
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
  return `${subject(alarm, voice)} ${done(alarm, result)}, ${around.confirmed}.`;
}

function subject(alarm: AlarmView, voice: Voice): string {
  if (alarm.does === 'SILENCE') return `The alarm ${voice.sentence(alarm.what, 160)}`;
  if (alarm.does === 'MAINTENANCE')
    return `The maintenance ${voice.text(alarm.maintenanceName, 64)}`;
  if (alarm.does !== 'CONFIRM') return `The rule ${voice.text(alarm.ruleName, 64)}`;
  return `${counted(alarm.alarms.length)} (${namesOf(alarm, voice)})`;
}

const counted = (count: number): string => (count === 1 ? '1 alarm' : `${count} alarms`);

function namesOf({ alarms }: Extract<AlarmView, { does: 'CONFIRM' }>, voice: Voice): string {
  const named = alarms.slice(0, MAX_NAMED).map(({ what }) => voice.sentence(what, 160));
  const more = alarms.length - named.length;
  return `${named.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
}

function wish(alarm: AlarmView, voice: Voice): string {
  if (alarm.does === 'ADD_RULE')
    return `Add the rule ${voice.text(alarm.ruleName, 64)}${watched(alarm, voice)}: ${demandOf(alarm, voice)}.${tried(alarm)}`;
  if (alarm.does === 'CHANGE_RULE')
    return `Change the rule ${voice.text(alarm.ruleName, 64)}${watched(alarm, voice)} from ${voice.sentence(alarm.conditionBefore, 160)} (${alarm.levelBefore}) to ${demandOf(alarm, voice)}.${tried(alarm)}`;
  if (alarm.does === 'SILENCE')
    return `Silence the alarm ${voice.sentence(alarm.what, 160)} for ${alarm.hours} h: nobody is notified of its rule at this place.`;
  if (alarm.does === 'MAINTENANCE')
    return `Plan the maintenance ${voice.text(alarm.maintenanceName, 64)} ${spanOf(alarm)}, of ${placesOf(alarm, voice)}: ${muting(alarm)}`;
  return `Confirm ${counted(alarm.alarms.length)}: ${namesOf(alarm, voice)}.`;
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
      ? 'nobody is notified of alarms there until its end'
      : 'messages of alarms there say that it is in maintenance';
  const covered = devices === 1 ? '1 device' : `${devices} devices`;
  return `${effect}. It covers ${covered}, where ${counted(firing)} fired when it was proposed.`;
}

const watched = ({ watches }: RuleView, voice: Voice): string =>
  watches === '' ? '' : ` on ${voice.text(watches, 64)}`;

const demandOf = ({ condition, level }: RuleView, voice: Voice): string =>
  `${voice.sentence(condition, 160)} (${level})`;

/** How often it would have fired, beside how often the stored rule would have. */
function tried({ backtest }: RuleView): string {
  if (backtest === null) return ' It could not be tried on stored values.';
  const { before, after, devices, from, to } = backtest;
  const span = `From ${moment(from)} to ${moment(to)}, on ${devices === 1 ? '1 device' : `${devices} devices`}`;
  const counts =
    before === null
      ? `it would have raised ${counted(after)}`
      : `${counted(before)} before, ${after} after`;
  return ` ${span}: ${counts}.`;
}

const PARTICIPLES: Record<AlarmView['does'], string> = {
  ADD_RULE: 'added',
  CHANGE_RULE: 'changed',
  SILENCE: 'silenced',
  CONFIRM: 'confirmed',
  MAINTENANCE: 'planned',
};

const undone = (alarm: AlarmView): string => {
  const verb = alarm.does === 'CONFIRM' && alarm.alarms.length > 1 ? 'were' : 'was';
  return `${verb} not ${PARTICIPLES[alarm.does]}`;
};

function done(alarm: AlarmView, result: AlarmResult | null): string {
  const participle = PARTICIPLES[alarm.does];
  if (alarm.does === 'SILENCE' && result?.until)
    return `is ${participle} until ${moment(result.until)}`;
  if (alarm.does === 'MAINTENANCE')
    return `was ${participle} until ${moment(alarm.end)}${result?.maintenanceId ? ` (id ${result.maintenanceId})` : ''}`;
  if (alarm.does !== 'CONFIRM')
    return `was ${participle}${result?.ruleId ? ` (id ${result.ruleId})` : ''}`;
  const left = alarm.alarms.length - (result?.alarms ?? alarm.alarms.length);
  const verb = alarm.alarms.length === 1 ? 'was' : 'were';
  return `${verb} ${participle}${left > 0 ? `, ${left} of them are not there any more` : ''}`;
}
