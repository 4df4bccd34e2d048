import uPlot from 'uplot';

import type { Schemas } from '../../client/operations.ts';

type Series = Schemas['PointTrendSeries'];
type Part = Series['parts'][number];

/** Columns for the chart: seconds, then mean, lowest and highest of each series; null where a line breaks. */
export function columnsOf(series: readonly Series[]): uPlot.AlignedData {
  const tables = series.map(({ parts, gapMs }): uPlot.AlignedData => {
    const rows = broken(parts, gapMs);
    const column = (of: (row: Row) => number | null): (number | null)[] => rows.map(of);
    return [
      rows.map(({ at }) => at / 1_000),
      column(({ part }) => part && part.mean),
      column(({ part }) => part && part.min),
      column(({ part }) => part && part.max),
    ];
  });
  return tables.length === 1 && tables[0] ? tables[0] : uPlot.join(tables);
}

type Row = { at: number; part: Part | null };

/** The parts in their middle, with an empty row wherever values were expected and none came. */
function broken(parts: readonly Part[], gapMs: number): Row[] {
  return parts.flatMap((part, index): Row[] => {
    const row = { at: (part.firstAt + part.lastAt) / 2, part };
    const before = parts[index - 1];
    if (!before || part.firstAt - before.lastAt <= gapMs) return [row];
    return [{ at: (before.lastAt + part.firstAt) / 2, part: null }, row];
  });
}

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
export const gapsOf = ({ parts, gapMs }: Pick<Series, 'parts' | 'gapMs'>): number =>
  broken(parts, gapMs).length - parts.length;
