import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import { aggregateWords, unitOfCompared } from '../kind/aggregate.ts';
import { durationWords } from '../kind/duration.ts';
import type { RuleContent } from '../kind/rule-ext.ts';
import { samplesNeeded, unitOfWindow } from '../kind/window.ts';
import { named, type Names } from './rule-names.ts';

/** What a rule says besides its condition, its level and what to do. */
type Term = Exclude<keyof RuleContent, 'condition' | 'severity' | 'instruction'>;
type Words = (content: RuleContent, unit: string, names: Names) => string;

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** The names of points, events and labels are quoted; empty: not set. */
const WORDS: Record<Term, Words> = {
  window: ({ window }) =>
    [
      window.mode === 'RATE' ? unitOfWindow(window, '') : '',
      window.mode === 'LAST' || window.minSamples === undefined
        ? ''
        : `of ${samplesNeeded(window)} values at least`,
      window.maxGap === undefined
        ? ''
        : `without a value for ${durationWords(window.maxGap)} at most`,
    ]
      .filter((part) => part !== '')
      .join(', '),
  recovery: (content, unit) => {
    const { recovery } = content;
    const { enabled, operator, threshold, duration } = recovery;
    if (!enabled) return 'never by itself';
    const held = duration === undefined ? '' : ` for ${durationWords(duration)}`;
    if (operator === undefined) return held === '' ? '' : `the condition is over${held}`;
    return `${operator} ${amount(String(threshold), unitOfCompared(content, unit), byName)}${held}`;
  },
  schedule: ({ schedule = [] }) =>
    schedule
      .map(({ start, end, daysOfWeek, timezone }) =>
        [
          `${start} to ${end}`,
          daysOfWeek.map((day) => DAYS[day - 1]).join(', '),
          timezone === undefined ? '' : `(${timezone})`,
        ]
          .filter((part) => part !== '')
          .join(' '),
      )
      .join('; '),
  levels: (content, unit) =>
    (content.levels ?? [])
      .map(
        ({ severity, threshold }) =>
          `${severity} at ${amount(String(threshold), unitOfCompared(content, unit), byName)}`,
      )
      .join('; '),
  maxAge: ({ maxAge }) => (maxAge === undefined ? '' : durationWords(maxAge)),
  points: ({ points = {} }) =>
    Object.entries(points)
      .map(([name, id]) => `${quoted(name)} is point ${id}`)
      .join('; '),
  peers: ({ peers }, _unit, { group }) =>
    peers === undefined
      ? ''
      : `the median of group ${named(group, [peers.groupId])}, of ${peers.minDevices} devices at least`,
  aggregate: ({ aggregate }) =>
    aggregate === undefined
      ? ''
      : [
          `the value ${aggregateWords(aggregate)}`,
          aggregate.minDevices === undefined
            ? ''
            : `with a value of ${aggregate.minDevices} devices at least`,
        ]
          .filter((part) => part !== '')
          .join(', '),
  devices: ({ devices: { ids = [], groupIds = [] } = {} }, _unit, { device, group }) =>
    [
      ids.length > 0 ? named(device, ids) : '',
      groupIds.length > 0 ? `the devices of ${named(group, groupIds)}` : '',
    ]
      .filter((part) => part !== '')
      .join(' and '),
  eventType: ({ eventType }) => (eventType === undefined ? '' : quoted(eventType)),
  labels: ({ labels = [] }) => labels.map((label) => quoted(label)).join(', '),
};

export const RULE_TERMS = [
  'window',
  'recovery',
  'schedule',
  'levels',
  'maxAge',
  'devices',
  'aggregate',
  'points',
  'peers',
  'eventType',
  'labels',
] as const satisfies Term[];

type Said = { of: (typeof RULE_TERMS)[number]; words: string; wordsBefore: string };

/** Each term that a rule has, or had before; `unit` of its point, `names` of what they name. */
export const ruleTerms = (
  fresh: RuleContent,
  old: RuleContent | null,
  { unit, names }: { unit: string; names: Names },
): Said[] =>
  RULE_TERMS.map((of) => ({
    of,
    words: WORDS[of](fresh, unit, names),
    wordsBefore: old === null ? '' : WORDS[of](old, unit, names),
  })).filter(({ words, wordsBefore }) => words !== '' || wordsBefore !== '');
