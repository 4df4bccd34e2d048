const ROUNDS = 5;

type Figures = Record<string, number>;

/**
 * Runs every contestant once per round, five rounds; gives the median of a figure of one of them.
 * Interleaved, so that a slow minute of the machine meets all alike; every second round runs backwards.
 */
export async function rounds(
  contestants: Record<string, () => Promise<Figures>>,
): Promise<(name: string, figure: string) => number> {
  const seen = new Map<string, Figures[]>();
  const entries = Object.entries(contestants);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, run] of round % 2 === 0 ? entries : entries.toReversed()) {
      const figures = await run();
      seen.set(name, [...(seen.get(name) ?? []), figures]);
      explain(round, name, figures);
    }
  }
  return (name, figure) => median((seen.get(name) ?? []).map((figures) => figures[figure] ?? NaN));
}

/** Each single measurement, for whoever doubts a median: `BENCH_VERBOSE=1`, on stderr. */
function explain(round: number, name: string, figures: Figures): void {
  if (!process.env['BENCH_VERBOSE']) return;
  console.error(`round ${round + 1} ${name} ${JSON.stringify(figures)}`);
}

function median(values: readonly number[]): number {
  const middle = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  if (middle === undefined || !values.every(Number.isFinite)) throw new Error('no such figure');
  return middle;
}
