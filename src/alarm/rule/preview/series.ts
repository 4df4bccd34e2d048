import { numberIn } from './extreme.ts';
import type { Arrived } from './replay.ts';

type Point = { at: number; value: number };

/** Half as many: each part of the span keeps its lowest and its highest number. */
const PARTS = 200;

/** The numbers of a field over a span, few enough to draw, with the extremes; oldest first. */
export function seriesOf(
  facts: readonly Arrived[],
  field: string,
  { from, to }: { from: number; to: number },
): Point[] {
  const parts = new Map<number, { low: Point; high: Point }>();
  const width = Math.max(1, (to - from) / PARTS);
  for (const { fact } of facts) {
    const value = numberIn(fact.values, field);
    if (value === null || fact.at < from || fact.at > to) continue;
    const point = { at: fact.at, value };
    const part = Math.min(PARTS - 1, Math.floor((fact.at - from) / width));
    const known = parts.get(part);
    if (!known) parts.set(part, { low: point, high: point });
    else if (value < known.low.value) known.low = point;
    else if (value > known.high.value) known.high = point;
  }
  return [...parts.values()]
    .flatMap(({ low, high }) => (low === high ? [low] : [low, high]))
    .toSorted((a, b) => a.at - b.at);
}
