import type { Line, Row } from '../../../chart/line.ts';
import type { Schemas } from '../../client/operations.ts';

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

/** How often a line breaks. */
export const gapsOf = (series: Pick<Series, 'parts' | 'gapMs'>): number =>
  rowsOf(series).length - series.parts.length;
