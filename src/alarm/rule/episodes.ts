import { fieldIn } from '../kind/condition.ts';
import { numberIn } from './condition.ts';
import type { Episode, RulePreview } from './preview-answer.ts';
import type { Arrived, Replayed } from './replay.ts';
import type { ActiveRule } from './rule-cache.ts';
import type { StoredFacts } from './stored-facts.ts';

/** Half as many: each part of the span keeps its lowest and its highest number. */
const PARTS = 200;

type Span = { from: number; to: number };
/** Names of devices by id. */
type Names = ReadonlyMap<string, string>;

/** An alarm that was not raised, as the answer says it. */
export const episodeOf = (
  { deviceId, from, fired, to, extreme }: Replayed,
  names: Names,
): Episode => ({
  alarmId: '0',
  deviceId,
  deviceName: names.get(deviceId) ?? '',
  from: new Date(from).toISOString(),
  fired: new Date(fired).toISOString(),
  to: to === null ? null : new Date(to).toISOString(),
  extreme,
});

type Drawing = {
  read: readonly StoredFacts[];
  raised: readonly Replayed[][];
  names: Names;
  span: Span;
};

/** The numbers of the device with most alarms, else of the one with most values. */
export function drawn(
  rule: ActiveRule,
  { read, raised, names, span }: Drawing,
): RulePreview['series'] {
  const [most] = read
    .map(({ place, facts }, index) => ({ place, facts, alarms: raised[index]?.length ?? 0 }))
    .toSorted((a, b) => b.alarms - a.alarms || b.facts.length - a.facts.length);
  const { condition } = rule.content;
  const field = fieldIn(condition) ?? 'value';
  const values = most ? seriesOf(most.facts, field, span) : [];
  if (!most || values.length === 0) return null;
  return {
    deviceId: most.place.deviceId,
    deviceName: names.get(most.place.deviceId) ?? '',
    values: values.map(({ at, value }) => ({ time: new Date(at).toISOString(), value })),
  };
}

type Point = { at: number; value: number };

/** The numbers of a field over a span, few enough to draw, with the extremes; oldest first. */
function seriesOf(
  facts: readonly Arrived[],
  field: string,
  { from, to }: { from: number; to: number },
): Point[] {
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
