import { CARD_HEAD } from '../../../../console/sentence-words.ts';
import { counted } from '../../../../kernel/sentence/counted.ts';
import { inZone, sentenceInZone } from '../../../../kernel/sentence/time-zone.ts';
import { amount, cutSentence, quoted, type Voice } from '../../../../kernel/sentence/voice.ts';
import type { AlarmView } from '../../kind/alarm-card.ts';
import type { FirmwareView } from '../../kind/firmware-card.ts';
import type { CardView, WriteView } from '../card.ts';
import { noteSentences, sourceOf } from '../notes.ts';
import { asked, doubtOf, hasOtherValue, statusOf } from '../now.ts';
import { leftOutWords, noteWords } from './firmware-words.ts';
import { onboardingWords } from './onboarding-outcome.ts';
import { termWords } from './rule-words.ts';

/** Escapes text from devices and users: no Markdown, link or hidden character remains. */
const plain = (text: string): string =>
  text
    .slice(0, 256)
    .toWellFormed()
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, '\uFFFD')
    // A dot between digits belongs to a number; any other dot could make an address clickable.
    .replaceAll(/[\\`*_{}[\]()<>#!|~&:@/]|(?<!\d)\.|\.(?!\d)/g, (character) => `\\${character}`);

const text = (given: string, max?: number): string => plain(quoted(given, max));

/** Like `byName`, for text that is rendered as Markdown. */
export const inMarkdown: Voice = {
  subject: ({ deviceName, pointName }) => `${text(pointName)} of ${text(deviceName)}`,
  text,
  sentence: (given, max) => plain(cutSentence(given, max)),
};

type Place = { base: string; at: string; zone?: string | undefined };

/** Markdown block of a card, which the server appends to an answer; `at` (ISO-8601): it is kept and read later. `zone`: of the plant. */
export function markdownOf(card: CardView, { base, at, zone }: Place): string {
  return [
    `${CARD_HEAD} (at ${at}; nothing has been written)`,
    '',
    ...factLines(card).map((line) => sentenceInZone(line, zone)),
    ...(card.reason === ''
      ? []
      : [`- Reason, in the words of the agent: ${text(card.reason, 200)}`]),
    ...card.tainted.map((read) => `- Read before: ${sourceOf(read, inMarkdown)}`),
    `- Expires: ${inZone(card.expiresAt, zone)}`,
    `- Action: \`${card.actionId}\``,
    `- Review: ${reviewUrl(base, card.actionId)}`,
    ...noteSentences(card, inMarkdown).map((note) => `- Note: ${sentenceInZone(note, zone)}`),
    '',
    'Only a human decides, with a login of their own, on the page of the review.',
    '',
  ].join('\n');
}

function factLines(card: CardView): string[] {
  const { firmware, alarm, onboarding, steps } = card;
  if (firmware !== null) return linesOfFirmware(firmware);
  if (alarm !== null) return linesOfAlarm(alarm);
  if (onboarding !== null)
    return [
      `- Onboard **${text(onboarding.endpoint, 64)}**`,
      ...onboardingWords(onboarding, inMarkdown).map((phrase) => `- ${phrase}`),
    ];
  if (steps.length === 0) return linesOf(card);
  return [
    `- ${steps.length} writes as one, each sent once the one before is verified:`,
    ...steps.map((step, index) => `  ${index + 1}. ${lineOf(step)}`),
  ];
}

const sentence = (given: string): string => inMarkdown.sentence(given, 200);

/** The card of a rule, a silence or a confirmation as lines of a list. */
function linesOfAlarm(alarm: AlarmView): string[] {
  if (alarm.does === 'SILENCE')
    return [
      `- Silence for **${alarm.hours} h**: ${sentence(alarm.what)} (${alarm.level})`,
      ...(alarm.already === null
        ? []
        : [`- Replaces the silence of ${text(alarm.already.by)} until ${alarm.already.until}`]),
    ];
  if (alarm.does === 'CONFIRM')
    return [
      `- Confirm ${counted(alarm.alarms.length, 'alarm')}:`,
      ...cut(
        alarm.alarms.map(({ level, what }, index) => `  ${index + 1}. ${level} ${sentence(what)}`),
        alarm.alarms.length,
      ),
    ];
  if (alarm.does === 'MAINTENANCE') return linesOfMaintenance(alarm);
  const { backtest } = alarm;
  const before = backtest?.before ?? null;
  return [
    `- ${alarm.does === 'ADD_RULE' ? 'New rule' : 'Rule'}: **${text(alarm.ruleName, 64)}** on ${alarm.watches === '' ? 'everything of its kind' : text(alarm.watches, 64)}`,
    ...(alarm.does === 'CHANGE_RULE'
      ? [`- Now: ${sentence(alarm.conditionBefore)} (${alarm.levelBefore})`]
      : []),
    `- Proposed: **${sentence(alarm.condition)}** (${alarm.level})`,
    ...termWords(alarm, inMarkdown).map((phrase) => `- ${phrase}`),
    `- Policy: ${alarm.notifyName === '' ? 'none, no notification' : text(alarm.notifyName, 64)}`,
    backtest === null
      ? '- It was not tried on what is stored'
      : `- Tried on ${counted(backtest.values, alarm.pointId === '' ? 'record' : 'value')} since ${backtest.from}: ${before === null ? '' : `${counted(before, 'alarm')} before, `}${counted(backtest.after, 'alarm')} with it`,
  ];
}

/** Of a maintenance, with what it would cover. */
function linesOfMaintenance(card: Extract<AlarmView, { does: 'MAINTENANCE' }>): string[] {
  const { maintenanceName, scope, places, mode, begin, end, devices, firing } = card;
  return [
    `- Maintenance: **${text(maintenanceName, 64)}**, ${mode === 'MUTE' ? 'alarms there are not notified until its end' : 'alarms there are notified, and say it'}`,
    `- From ${begin ?? 'the confirmation'} to ${end}`,
    ...(scope === 'PLANT'
      ? ['- Of the whole plant']
      : [
          `- Of ${places.length}:`,
          ...cut(
            places.map((name) => `  - ${text(name, 48)}`),
            places.length,
          ),
        ]),
    `- Devices: ${devices}, alarms that fired there when it was proposed: ${firing}`,
  ];
}

const linesOf = (write: WriteView): string[] => [
  `- Device: ${text(write.deviceName)} (${statusOf(write)})`,
  `- Point: ${text(write.pointName)}`,
  `- Now: ${nowOf(write)}`,
  `- Proposed: **${amount(write.proposedValue, write.unit, inMarkdown)}**${asked(write.askedAs, inMarkdown)}`,
];

const lineOf = (write: WriteView): string =>
  `${inMarkdown.subject(write)} (${statusOf(write)}): **${amount(write.proposedValue, write.unit, inMarkdown)}**${asked(write.askedAs, inMarkdown)}, now ${nowOf(write)}`;

function nowOf(write: WriteView): string {
  const { currentValue, currentAge, unit, now } = write;
  const shown = (value: string | null): string =>
    value === null ? 'not known' : amount(value, unit, inMarkdown);
  if (now === null) return `not read; ${shown(currentValue)} when proposed (${currentAge})`;
  const before = hasOtherValue(write) ? `, ${shown(currentValue)} when proposed` : '';
  return `${shown(now.value)} (${now.age}${doubtOf(now)})${before}`;
}

/** A chat shows no more lines; the review page has all. */
const MAX_LINES = 20;

/** The card of a roll-out as lines of a list. */
function linesOfFirmware(firmware: FirmwareView): string[] {
  const { devices, leftOut, packageName, packageVersion, sha256, size } = firmware;
  return [
    `- Firmware: **${text(packageName, 64)}**, version **${text(packageVersion, 64)}**, ${size} bytes`,
    sha256 === null
      ? '- SHA-256: not known, the devices fetch it by themselves'
      : `- SHA-256: \`${sha256}\``,
    `- Waves of ${firmware.waveSize}, stops at ${firmware.failurePercent} % failures, ${firmware.minutes} min for each device`,
    `- Devices: ${devices.length}`,
    ...cut(
      devices.map(
        (device, index) =>
          `  ${index + 1}. ${text(device.deviceName, 48)} (${device.deviceStatus}), endpoint ${text(device.endpoint, 64)}, ` +
          `${securityOf(device)}, runs ${device.versionNow === null ? 'a version that is not known' : text(device.versionNow, 64)}`,
      ),
      devices.length,
    ),
    ...(leftOut.length === 0 ? [] : [`- Left out: ${leftOut.length}`]),
    ...cut(
      leftOut.map(
        (one) => `  - ${text(one.deviceName, 48)}: ${leftOutWords(one, firmware, inMarkdown)}`,
      ),
      leftOut.length,
    ),
    ...firmware.notes.map((note) => `- Note: ${noteWords(note, firmware, inMarkdown)}`),
  ];
}

function securityOf({ security, keyIdentity }: FirmwareView['devices'][number]): string {
  if (security === 'UNKNOWN') return 'its security is not known';
  return security === 'PSK' ? `key of ${text(keyIdentity, 64)}` : 'not authenticated';
}

const cut = (lines: readonly string[], count: number): string[] => [
  ...lines.slice(0, MAX_LINES),
  ...(count > MAX_LINES ? [`  - and ${count - MAX_LINES} more`] : []),
];

/** The URL of the review page of a proposal, below the platform's address `base`. A reader logs in there; the URL holds no secret. */
export const reviewUrl = (base: string, actionId: string): string =>
  `${base}/console/review/${actionId}`;
