import { storable } from '../../kernel/input/text.ts';
import { inZone } from '../../kernel/sentence/time-zone.ts';
import { clean } from '../../kernel/sentence/visible.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { firedAt, limitOf, marginOf } from '../alarm/firing.ts';
import type { NoticeEvent } from '../kind/delivery-status.ts';
import { type AlarmEvent, MAX_MESSAGE, type Names } from './alarm-event.ts';
import type { EpisodeText } from './episode-text.ts';
import type { Variables } from './render.ts';

const MAX_VALUE = 256;
/** Channels that a message names. */
const MAX_NAMED = 5;

/** A fact as text for a template. */
function shown(value: unknown, max: number): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  // One line: a name or value must not add a line to the platform's text.
  return clean(storable(text), max);
}

type Occasion = { event: NoticeEvent; now: number; episode: EpisodeText | null };

/**
 * The variables of docs/specification/notifications.md, Variables; the platform's fields override facts of the
 * same name. `episode` is null where no alarm is stored.
 */
export function variablesOf(
  alarmEvent: AlarmEvent,
  names: Names,
  { event, now, episode }: Occasion,
): Variables {
  const { facts, occurTime, name, target, level, endValues: _endValues, ...ids } = alarmEvent;
  const at = (time: number): string => inZone(time, names.zone).replace('T', ' ');
  const all: Record<string, unknown> = {
    ...facts,
    ...ids,
    ruleName: name,
    alarmTargetType: target,
    severity: level,
    level,
    factTime: at(occurTime),
    occurTime: at(occurTime),
    triggerTime: at(now),
    event: event.toLowerCase(),
    matchType: episode !== null && episode.reminder > 0 ? 'REMINDER' : event,
    device: names.deviceName,
    deviceName: names.deviceName,
    point: names.pointName,
    pointName: names.pointName,
    driverName: names.driverName,
    unit: facts['unit'] ?? names.unit,
    ...withoutNull(episodeVariables(alarmEvent, episode, at)),
  };
  return Object.fromEntries(
    Object.entries(all).map(([key, value]) => [
      key,
      // A cut within a quotation leaves it open: allow more length.
      shown(value, LONG.has(key) ? MAX_MESSAGE : MAX_VALUE),
    ]),
  );
}

const withoutNull = (given: Record<string, string | null | 0>): Record<string, string> =>
  Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value || '']));

/** Of what is reported without an alarm. */
const NONE: EpisodeText = {
  fired: null,
  text: '',
  instruction: '',
  since: null,
  lasted: '',
  reminder: 0,
  endReason: '',
  sentTo: [],
  note: '',
  link: '',
  present: '',
};

function episodeVariables(
  { message }: AlarmEvent,
  episode: EpisodeText | null,
  at: (time: number) => string,
) {
  const { fired, text, instruction, since, lasted, reminder, endReason } = episode ?? NONE;
  const { sentTo, note, link, present } = episode ?? NONE;
  const named = sentTo.slice(0, MAX_NAMED).map((name) => quoted(name));
  const more = sentTo.length - named.length;
  return {
    alarmText: text || message,
    alarmValue: fired && firedAt(fired),
    alarmLimit: fired && limitOf(fired),
    alarmMargin: fired && marginOf(fired),
    alarmSince: since && at(since),
    alarmDuration: lasted,
    alarmReminder: reminder > 0 ? String(reminder) : '',
    alarmEndReason: endReason,
    alarmLink: link,
    alarmInstruction: instruction,
    alarmCall: note,
    alarmNow: present,
    alarmSentTo: `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`,
  };
}

/**
 * Variables for the default templates: names become quotations, and all quotation marks become ASCII, because
 * others double the length of an SMS and force an encoded mail subject.
 */
export const quotedNames = (variables: Variables): Variables =>
  Object.fromEntries(
    Object.entries(variables).map(([key, value]) => {
      if (SENTENCES.has(key)) return [key, inAscii(value)];
      return [key, NAMES.has(key) ? inAscii(quoted(value, MAX_MESSAGE)) : value];
    }),
  );
/** Without the quotation marks that double the length of an SMS. */
export const inAscii = (text: string): string => text.replaceAll(/[“”]/g, '"');
const NAMES: ReadonlySet<string> = new Set([
  'ruleName',
  'deviceName',
  'pointName',
  'driverName',
  'alarmInstruction',
]);
/** They hold names as quotations. */
const SENTENCES: ReadonlySet<string> = new Set([
  'message',
  'alarmText',
  'alarmCall',
  'alarmNow',
  'alarmSentTo',
]);
const LONG: ReadonlySet<string> = new Set([...SENTENCES, 'alarmInstruction']);
