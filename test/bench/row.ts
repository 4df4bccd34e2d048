/** One figure. `limit` was measured in the same run; `ratio` is ours ÷ limit; both null where there is none. */
export type Row = {
  bench: string;
  metric: string;
  value: number;
  unit: string;
  limit: number | null;
  ratio: number | null;
  /** What the ratio, or without one the value, has to be; null where nothing is asked. */
  goal: Goal | null;
};

/** A bound, e.g. `<= 1.3`. */
type Goal = `${'<=' | '>='} ${number}`;

export type Bench = () => Promise<Row[]>;

/** A row of figures rounded to four digits, more than any of them is good for. */
export function row(
  bench: string,
  metric: string,
  unit: string,
  value: number,
  limit: number | null = null,
  goal: Goal | null = null,
): Row {
  return {
    bench,
    metric,
    value: round(value),
    unit,
    limit: limit === null ? null : round(limit),
    ratio: limit === null ? null : round(value / limit),
    goal,
  };
}

const round = (value: number): number => Number(value.toPrecision(4));

/** The rows as text, columns aligned, a heading first. */
export function table(rows: readonly Row[]): string {
  const cells = [
    ['bench', 'metric', 'value', 'unit', 'limit', 'ratio', 'goal'],
    ...rows.map(({ bench, metric, value, unit, limit, ratio, goal }) => [
      bench,
      metric,
      String(value),
      unit,
      String(limit ?? '-'),
      String(ratio ?? '-'),
      goal ?? '-',
    ]),
  ];
  const widths = cells[0]?.map((_, at) => Math.max(...cells.map((line) => line[at]?.length ?? 0)));
  const pad = (cell: string, at: number): string => {
    const width = widths?.[at] ?? 0;
    return [2, 4, 5].includes(at) ? cell.padStart(width) : cell.padEnd(width);
  };
  return cells.map((line) => `${line.map(pad).join('  ').trimEnd()}\n`).join('');
}
