import { type Fields, listOf, numberOf, textOf } from './fields.ts';

/** A value in time, ms since the epoch. */
type Point = { at: number; value: number };

/** A series of getPointValueHistory as it is drawn; `fields` has its figures. */
export type Series = {
  fields: Fields;
  /** In order of time; of the sparkline, without its samples. */
  points: Point[];
  /** Whether the points are stored values. */
  sampled: boolean;
  gaps: { from: number; to: number }[];
  spikes: Point[];
  changes: number[];
};

export type Window = { from: number; to: number; offsetMs: number; end: string };

const LEVELS = '▁▂▃▄▅▆▇█';

const timeOf = (fields: Fields, name: string): number => Date.parse(textOf(fields, name));
const isTime = (ms: number): boolean => !Number.isNaN(ms);

/** The window of an answer, and the offset of the plant's zone at its end. */
export function windowOf(answer: Fields): Window {
  const end = textOf(answer, 'to');
  const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)$/.exec(end) ?? [];
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000;
  return {
    from: timeOf(answer, 'from'),
    to: timeOf(answer, 'to'),
    offsetMs: sign === '-' ? -offset : offset,
    end,
  };
}

/** The series of an answer; one of a single point is the answer itself. */
export function seriesIn(answer: Fields, window: Window): Series[] {
  const several = listOf(answer['series']);
  const all = several.length > 0 ? several : textOf(answer, 'pointId') === '' ? [] : [answer];
  return all.map((fields) => seriesOf(fields, window));
}

function seriesOf(fields: Fields, window: Window): Series {
  const samples = samplesOf(fields);
  const sampled = samples.length > 1;
  return {
    fields,
    sampled,
    points: sampled ? samples : sparkline(fields, window),
    gaps: listOf(fields['gaps'])
      .map((gap) => ({ from: timeOf(gap, 'from'), s: numberOf(gap, 's') ?? 0 }))
      .filter(({ from }) => isTime(from))
      .map(({ from, s }) => ({ from, to: from + s * 1_000 })),
    spikes: listOf(fields['spikes'])
      .map((spike) => ({ at: timeOf(spike, 'at'), value: numberOf(spike, 'peak') ?? NaN }))
      .filter(({ at, value }) => isTime(at) && !Number.isNaN(value)),
    changes: listOf(fields['changes'])
      .map((one) => timeOf(one, 'at'))
      .filter(isTime),
  };
}

/** Numbers alone: a state is shown by its shares. */
const samplesOf = (fields: Fields): Point[] =>
  numberOf(fields, 'mean') === null
    ? []
    : listOf(fields['samples'])
        .map((sample) => ({ at: timeOf(sample, 'time'), value: Number(sample['value']) }))
        .filter(({ at, value }) => isTime(at) && Number.isFinite(value))
        .toSorted((a, b) => a.at - b.at);

/** Eight levels between the extremes, even in time. */
function sparkline(fields: Fields, { from, to }: Window): Point[] {
  const min = numberOf(fields, 'min');
  const max = numberOf(fields, 'max');
  if (min === null || max === null) return [];
  const signs = textOf(fields, 'sparkline').split('');
  return signs
    .map((sign, index) => ({
      at: from + ((index + 0.5) / signs.length) * (to - from),
      level: LEVELS.indexOf(sign),
    }))
    .filter(({ level }) => level >= 0)
    .map(({ at, level }) => ({ at, value: min + (level / (LEVELS.length - 1)) * (max - min) }));
}
