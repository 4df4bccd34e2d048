import type { ActiveRule } from '../rule-cache.ts';
import type { Episode, RulePreview } from './answer.ts';
import type { Replayed } from './replay.ts';
import { seriesOf } from './series.ts';
import type { StoredFacts } from './stored-facts.ts';

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
  const field = rule.content.condition.field ?? 'value';
  const values = most ? seriesOf(most.facts, field, span) : [];
  if (!most || values.length === 0) return null;
  return {
    deviceId: most.place.deviceId,
    deviceName: names.get(most.place.deviceId) ?? '',
    values: values.map(({ at, value }) => ({ time: new Date(at).toISOString(), value })),
  };
}
