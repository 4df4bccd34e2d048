import { numberIn } from '../condition/condition.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { fieldIn } from '../kind/condition.ts';
import type { Episode, RulePreview } from './preview-answer.ts';
import type { Arrived, Replayed } from './replay.ts';

/** Half as many: each part of the span keeps its lowest and its highest number. */
const PARTS = 200;

type Span = { from: number; to: number };
/** Names of devices by id. */
type Names = ReadonlyMap<string, string>;

/** An alarm that was not raised, as the answer says it. */
export const episodeOf = (
  { deviceId, from, fired, to, extreme, level }: Replayed,
  names: Names,
): Episode => ({
  alarmId: '0',
  deviceId,
  deviceName: names.get(deviceId) ?? '',
  from: new Date(from).toISOString(),
  fired: new Date(fired).toISOString(),
  to: to === null ? null : new Date(to).toISOString(),
  extreme,
  level,
});

/** What was found of one device. */
export type Looked = { deviceId: string; raised: Replayed[]; values: number; series: Point[] };

/** The numbers of the device with most alarms, else of the one with most values. */
export function drawn(looked: readonly Looked[], names: Names): RulePreview['series'] {
  const [most] = looked.toSorted(
    (a, b) => b.raised.length - a.raised.length || b.values - a.values,
  );
  if (!most || most.series.length === 0) return null;
  return {
    deviceId: most.deviceId,
    deviceName: names.get(most.deviceId) ?? '',
    values: most.series.map(({ at, value }) => ({ time: new Date(at).toISOString(), value })),
  };
}

type Point = { at: number; value: number };

/** The numbers that a rule compares over a span, few enough to draw, with the extremes; oldest first. */
export function seriesOf(
  { content: { condition } }: ActiveRule,
  facts: readonly Arrived[],
  { from, to }: Span,
): Point[] {
  const field = fieldIn(condition) ?? 'value';
  const parts = new Map<number, { low: Point; high: Point }>();
  const width = Math.max(1, (to - from) / PARTS);
  for (const { fact } of facts) {
    const value = numberIn(fact.values, field);
    const isOther = fact.source !== undefined;
    if (value === null || isOther || fact.at < from || fact.at > to) continue;
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
