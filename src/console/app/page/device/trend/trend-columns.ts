import { columnsOf, type Line, type Row } from '../../../../chart/line.ts';
import type { Schemas } from '../../../client/operations.ts';
import { language } from '../../../word/words.ts';

type Series = Schemas['PointTrendSeries'];

/** The lines of a trend: the parts in their middle, with an empty row wherever values were expected and none came. */
export const linesOf = (series: readonly Series[]): Line[] =>
  series.map(({ unit, ...each }) => ({ unit, rows: rowsOf(each) }));

const rowsOf = ({ parts, gapMs }: Pick<Series, 'parts' | 'gapMs'>): Row[] =>
  parts.flatMap(({ firstAt, lastAt, mean, min, max }, index): Row[] => {
    const row = { at: (firstAt + lastAt) / 2, mean, min, max };
    const before = parts[index - 1];
    if (!before || firstAt - before.lastAt <= gapMs) return [row];
    return [{ at: (before.lastAt + firstAt) / 2, mean: null, min: null, max: null }, row];
  });

/** The figures of a series in words of numbers; null without a value. */
export function figuresOf({ parts }: Pick<Series, 'parts'>): {
  count: number;
  min: number;
  max: number;
  mean: number;
} | null {
  if (parts.length === 0) return null;
  const count = parts.reduce((sum, part) => sum + part.count, 0);
  return {
    count,
    min: Math.min(...parts.map(({ min }) => min)),
    max: Math.max(...parts.map(({ max }) => max)),
    mean: parts.reduce((sum, part) => sum + part.mean * part.count, 0) / count,
  };
}

export const gapsOf = (series: Pick<Series, 'parts' | 'gapMs'>): number =>
  rowsOf(series).length - series.parts.length;

/** Columns of each series: mean, lowest, highest. */
const COLUMNS = 3;

/** The row of the chart below the pointer as a text: time, then each value with its extremes where they differ. */
export function readingOf(series: readonly Series[], row: number): string {
  const columns = columnsOf(linesOf(series));
  const seconds = columns[0][row];
  if (seconds === undefined) return '';
  const time = new Intl.DateTimeFormat(language.value === 'zh' ? 'zh-CN' : 'en-GB', {
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
  }).format(seconds * 1_000);
  const isOfOne = series.every(({ deviceId }) => deviceId === series[0]?.deviceId);
  const values = series.flatMap(({ pointName, deviceName, unit }, index) => {
    const [mean, min, max] = [1, 2, 3].map((column) => columns[index * COLUMNS + column]?.[row]);
    if (typeof mean !== 'number' || typeof min !== 'number' || typeof max !== 'number') return [];
    const extremes = min === max ? '' : ` (${displayed(min)} – ${displayed(max)})`;
    const name = isOfOne ? pointName : `${pointName} ${deviceName}`;
    return [`${name} ${displayed(mean)} ${unit}${extremes}`];
  });
  return [time, ...values].join(' · ');
}

/** With as many digits as a reading is good for: those before the point, and two or, of small numbers, three. */
export const displayed = (value: number): string =>
  String(Number(Math.abs(value) < 1 ? value.toPrecision(3) : value.toFixed(2)));
