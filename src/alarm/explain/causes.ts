import { Quality } from '../../bus/topic/topics.ts';
import { type ChangeLine, lineOf, verbOf } from '../../data/change/line.ts';
import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import { lengthWords } from '../kind/duration.ts';
import type { CauseFacts, OtherAlarm, Place, Work, Write } from './cause-facts.ts';
import type { Cause, Evidence } from './cause.ts';
import type { NearReading } from './readings.ts';

/** The alarm, as far as it decides what may have led to it; times in milliseconds since the epoch. */
export type Explained = {
  firedAt: number;
  /** When its condition began to hold, or its silence to last. */
  onset: number;
  /** It is about silence, or about a device or driver that is away. */
  isSilence: boolean;
  deviceId: string;
  pointId: string;
};

/** A cause before it is scored: how much its kind and place count, and when it was. */
type Found = Pick<Cause, 'kind' | 'say' | 'evidence'> & {
  /** The same for steps of one cause: changes of an entity, writes of a point, alarms of a rule at a place. */
  of: string;
  what: string;
  weight: number;
  at: number;
  /** What goes on counts as if it were now. */
  lasts?: boolean;
  /** 1, or less where it is not certain that it happened. */
  certainty?: number;
};

const MAX_CAUSES = 5;
const HALF_LIFE_MS = 15 * 60_000;
/** Clocks of devices and of the platform differ by so much. */
const SKEW_MS = 5_000;
/** Something that happened after the condition began to hold cannot have begun it. */
const TOO_LATE = 0.3;
const MIN_SCORE = 5;

const placeWords: Record<Place, string> = {
  POINT: 'at the same point',
  DEVICE: 'at the same device',
  GROUP: 'in the same group',
  DRIVER: 'at the same driver',
  UPSTREAM: 'at its driver',
};

/**
 * What may have led to an alarm, the likeliest first, at most five: what happened counts by its kind and place, half as
 * much every 15 minutes before the alarm. The same facts give the same list.
 */
export function rankedCauses(alarm: Explained, facts: CauseFacts, now: number): Cause[] {
  const found = [
    ...facts.alarms.flatMap((other) => ofAlarm(alarm, other)),
    ...facts.writes.map((write) => ofWrite(alarm, write)),
    ...facts.changes.map((row) => ofChange(alarm, row, lineOf(row, now))),
    ...ofQuality(alarm, facts),
    ...ofGap(alarm, facts.readings),
    ...facts.work.map((work) => ofWork(alarm, work)),
  ];
  const ranked = found
    .map((one) => ({ of: `${one.kind} ${one.of}`, cause: scored(alarm, one) }))
    .filter(({ cause }) => cause.score >= MIN_SCORE)
    .toSorted(
      (a, b) => b.cause.score - a.cause.score || keyOf(a.cause).localeCompare(keyOf(b.cause)),
    );
  const likeliest = new Map(ranked.toReversed().map((one) => [one.of, one]));
  return ranked
    .filter((one) => likeliest.get(one.of) === one)
    .map(({ cause }) => cause)
    .slice(0, MAX_CAUSES);
}

const keyOf = ({ kind, evidence }: Cause): string =>
  `${evidence[0]?.at} ${kind} ${evidence[0]?.id}`;

function scored({ onset, firedAt }: Explained, found: Found): Cause {
  const { kind, say, evidence, what, weight, at, lasts = false, certainty = 1 } = found;
  const isLate = at > onset + SKEW_MS && !lasts;
  const lead = Math.max(0, onset - at);
  const recency = lasts ? 1 : isLate ? TOO_LATE : 0.5 ** (lead / HALF_LIFE_MS);
  const when = lasts
    ? 'lasted when it began'
    : isLate
      ? `${lengthWords(firedAt - at)} before it fired, after it began`
      : `${beforeIt(lead)} it began`;
  const why = [
    `${what} (${weight})`,
    `${when} (× ${factor(recency)})`,
    ...(certainty === 1 ? [] : [`not certain (× ${factor(certainty)})`]),
  ];
  const score = Math.min(100, Math.round(weight * recency * certainty));
  return { kind, say, score, why: why.join(', '), evidence };
}

const factor = (number: number): string => String(Math.round(number * 100) / 100);

const beforeIt = (ms: number): string => (ms < 1_000 ? 'as' : `${lengthWords(ms)} before`);

const ago = ({ firedAt }: Explained, at: number): string =>
  firedAt - at < 1_000 ? 'as it fired' : `${lengthWords(firedAt - at)} before it fired`;

const evidenceOf = (
  kind: Evidence['kind'],
  id: string,
  at: Date,
  deviceId: string = '0',
): Evidence => ({ kind, id, deviceId, at: at.toISOString() });

function ofAlarm(alarm: Explained, other: OtherAlarm): Found[] {
  const { id, at, over, deviceId, place, isOutage, isCommon } = other;
  const evidence = [evidenceOf('alarm', id, at, deviceId)];
  const lasts = over === null || over.getTime() > alarm.onset + SKEW_MS;
  const name = nameOf(other);
  if (isOutage) {
    // The same outage as another alarm of the same device explains nothing more.
    if (place === 'GROUP' || place === 'DRIVER') return [];
    const said = lasts
      ? `${name} was away or at fault since ${ago(alarm, at.getTime())}.`
      : `${name} was away or at fault until ${ago(alarm, over.getTime())}.`;
    const weight = alarm.isSilence ? 92 : 60;
    return [
      {
        kind: isCommon ? 'COMMON_CAUSE' : 'OUTAGE',
        of: name,
        say: said,
        evidence,
        what: `outage ${placeWords[place]}`,
        weight: isCommon ? 98 : place === 'UPSTREAM' ? weight + 3 : weight,
        at: lasts ? at.getTime() : over.getTime(),
        lasts,
      },
    ];
  }
  if (place === 'POINT') return [];
  const weights = { DEVICE: 62, GROUP: 50, DRIVER: 25, UPSTREAM: 55 };
  return [
    {
      kind: 'NEIGHBOUR',
      of: `${name} ${other.ruleName ?? other.message}`,
      say: `${name}: ${quoted(other.ruleName ?? other.message, 80)} fired ${ago(alarm, at.getTime())}.`,
      evidence,
      what: `alarm ${placeWords[place]}`,
      weight: weights[place],
      at: at.getTime(),
    },
  ];
}

const nameOf = ({ deviceName, pointName, driverName, deviceId }: OtherAlarm): string => {
  if (deviceId === '0') return `Driver ${quoted(driverName ?? '?')}`;
  const device = quoted(deviceName ?? deviceId);
  return pointName === null ? device : `${quoted(pointName)} of ${device}`;
};

function ofWrite(alarm: Explained, write: Write): Found {
  const { at, deviceId, place, value, unit, isCertain, commandId, actionId } = write;
  const weights = { POINT: 90, DEVICE: 75, GROUP: 48, DRIVER: 0, UPSTREAM: 0 };
  const point = `${quoted(write.pointName ?? '?')} of ${quoted(write.deviceName ?? deviceId)}`;
  const said = isCertain ? 'was written' : 'may have been written';
  // A device that is away did not fall silent because of a set-point, as far as anybody knows.
  const weight = alarm.isSilence ? Math.round(weights[place] / 2) : weights[place];
  return {
    kind: 'WRITE',
    of: point,
    say: `${point} ${said}: ${amount(value ?? '?', unit ?? '', byName)}, ${ago(alarm, at.getTime())}.`,
    evidence: [
      ...(actionId === null ? [] : [evidenceOf('action', actionId, at, deviceId)]),
      evidenceOf('command', commandId, at, deviceId),
    ],
    what: `write ${placeWords[place]}`,
    weight,
    at: at.getTime(),
    certainty: isCertain ? 1 : 0.7,
  };
}

type Change = CauseFacts['changes'][number];

function ofChange(alarm: Explained, row: Change, line: ChangeLine): Found {
  const isRule = row.entityType === 'rule';
  const isAtPoint = row.pointId !== '0' && row.pointId === alarm.pointId;
  // A group decides which rules watch a device and what it is compared with, and nothing of its values.
  const isMove = row.entityType === 'group_bind';
  const weight = isRule ? 88 : isAtPoint ? 82 : isMove ? 40 : 66;
  const values =
    line.from === undefined && line.to === undefined
      ? ''
      : ` ${quoted(line.from ?? 'none', 32)} → ${quoted(line.to ?? 'none', 32)}`;
  const place = [row.pointName, row.deviceName].flatMap((name) => (name ? [quoted(name)] : []));
  const where = place.length === 0 ? '' : ` (${place.join(' of ')})`;
  return {
    kind: isRule ? 'RULE' : 'CONFIGURATION',
    // What one person sets up, a point and each of its settings, are steps of one cause.
    of:
      isRule || verbOf(row) !== 'added'
        ? `${row.entityType} ${row.entityId} ${line.what}`
        : `set up by ${row.actorId}`,
    say: `${line.what}${values}${where}, by ${quoted(line.by)}, ${ago(alarm, row.at.getTime())}.`,
    evidence: [evidenceOf('change', row.entityId, row.at, row.deviceId)],
    what: isRule
      ? 'change of its rule'
      : `change of its ${isAtPoint ? 'point' : isMove ? 'group' : 'device'}`,
    // What was just set up has no past in which it worked.
    weight: row.operation === 'UPDATE' ? weight : Math.round(weight / 2),
    at: row.at.getTime(),
  };
}

function ofQuality(alarm: Explained, { readings, bad }: CauseFacts): Found[] {
  return bad.map((reading) => {
    const isOwn = reading.pointId === alarm.pointId;
    // Silence counts good values alone: bad ones after its begin are what it is made of.
    const lasts = isOwn && (alarm.isSilence || reading.at.getTime() >= alarm.onset);
    const weight = alarm.isSilence ? 86 : isOwn ? 78 : 45;
    const said = reading.quality === Quality.BAD ? 'bad' : 'uncertain';
    const count = isOwn ? readings.filter(({ quality }) => quality !== Quality.GOOD).length : 0;
    const many = count > 1 ? `${count} values were` : 'a value was';
    const issue = reading.issue ? ` (${quoted(reading.issue, 80)})` : '';
    return {
      kind: 'QUALITY' as const,
      of: reading.pointId,
      say: `Of ${quoted(reading.pointName ?? '?')} ${many} ${said}${issue}, the last ${ago(alarm, reading.at.getTime())}.`,
      evidence: [evidenceOf('value', reading.pointId, reading.at, reading.deviceId)],
      what: `bad quality ${placeWords[isOwn ? 'POINT' : 'DEVICE']}`,
      weight: reading.quality === Quality.BAD ? weight : Math.round(weight / 2),
      at: reading.at.getTime(),
      lasts,
    };
  });
}

const ofWork = (alarm: Explained, { id, name, owner, isOfPlant, at }: Work): Found => ({
  kind: 'MAINTENANCE',
  of: id,
  say: `It was in maintenance: ${quoted(name)} by ${quoted(owner)}, since ${ago(alarm, at.getTime())}.`,
  evidence: [evidenceOf('maintenance', id, at)],
  what: `maintenance of ${isOfPlant ? 'the whole plant' : 'its place'}`,
  weight: isOfPlant ? 50 : 64,
  at: at.getTime(),
  lasts: true,
});

const GAP_FACTOR = 5;
const MIN_INTERVALS = 4;

/** The value that fired came after a pause that is long for its point. */
function ofGap(alarm: Explained, [last, previous, ...older]: readonly NearReading[]): Found[] {
  if (alarm.isSilence || !last || !previous) return [];
  const times = [previous, ...older].map(({ at }) => at.getTime());
  const intervals = times.slice(1).map((time, index) => (times[index] ?? 0) - time);
  const usual = intervals.toSorted((a, b) => a - b)[Math.floor(intervals.length / 2)] ?? 0;
  const gap = last.at.getTime() - previous.at.getTime();
  if (intervals.length < MIN_INTERVALS || gap < GAP_FACTOR * usual) return [];
  return [
    {
      kind: 'GAP',
      of: '',
      say: `The value that fired is the first after ${lengthWords(gap)} without one; they come every ${lengthWords(usual)}.`,
      evidence: [
        evidenceOf('value', previous.pointId, previous.at, previous.deviceId),
        evidenceOf('value', last.pointId, last.at, last.deviceId),
      ],
      what: 'gap of its values',
      weight: 70,
      at: alarm.onset,
    },
  ];
}
