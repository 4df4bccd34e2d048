import uPlot from 'uplot';

/** A time to look at, in ms since 1970. */
export type Range = { from: number; to: number };

/** A value in time (ms since the epoch) with its extremes; null where the line breaks. */
export type Row = { at: number; mean: number | null; min: number | null; max: number | null };

export type Line = {
  unit: string;
  /** In the order of time. */
  rows: readonly Row[];
  /** Values that its axis reaches besides its own. */
  reach?: readonly number[];
};

/** Columns for the chart: seconds, then mean, lowest and highest of each line. */
export function columnsOf(lines: readonly Line[]): uPlot.AlignedData {
  const tables = lines.map(({ rows }): uPlot.AlignedData => [
    rows.map(({ at }) => at / 1_000),
    rows.map(({ mean }) => mean),
    rows.map(({ min }) => min),
    rows.map(({ max }) => max),
  ]);
  return tables.length === 1 && tables[0] ? tables[0] : uPlot.join(tables);
}
