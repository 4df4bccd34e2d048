import { numberIn } from '../../condition/condition.ts';
import type { ActiveRule, Fact } from '../../condition/fact.ts';
import { fieldIn } from '../../kind/condition.ts';
import type { Rates } from '../../validation/sense-window.ts';
import type { Replayed } from '../replay/replay.ts';
import type { Episode, RulePreview } from './preview-answer.ts';
import type { Runs } from './runs.ts';

/** Half as many: each part of the span keeps its lowest and its highest number. */
const PARTS = 200;

type Span = { from: number; to: number };
/** The most alarms that an answer lists. */
export const MAX_EPISODES = 50;

type Names = Pick<Episode, 'entityName' | 'deviceName'>;

/** An alarm that was not raised, as the answer says it. */
const episodeOf = (
  { entityId, deviceId, from, fired, to, extreme, limit, level, matches }: Replayed,
  { entityName, deviceName }: Names,
): Episode => ({
  alarmId: '0',
  entityId,
  entityName,
  deviceId,
  deviceName,
  from: new Date(from).toISOString(),
  fired: new Date(fired).toISOString(),
  to: to === null ? null : new Date(to).toISOString(),
  extreme,
  limit,
  level,
  matches,
});

/** The newest alarms of all places. */
export const episodesOf = (looked: readonly Looked[]): Episode[] =>
  looked
    .flatMap((one) => one.raised.map((raised) => ({ raised, one })))
    .toSorted((a, b) => b.raised.fired - a.raised.fired)
    .slice(0, MAX_EPISODES)
    .map(({ raised, one }) => episodeOf(raised, one));

/** What was found of one place. */
export type Looked = Names & {
  deviceId: string;
  raised: Replayed[];
  values: number;
  rates: Rates;
  series: Point[];
  runs: Runs;
};

/** The numbers of the place with most alarms, else of the one with most values. */
export function drawn(looked: readonly Looked[]): RulePreview['series'] {
  const [most] = looked.toSorted(
    (a, b) => b.raised.length - a.raised.length || b.values - a.values,
  );
  if (!most || most.series.length === 0) return null;
  return {
    entityName: most.entityName,
    deviceId: most.deviceId,
    deviceName: most.deviceName,
    values: most.series.map(({ at, value }) => ({ time: new Date(at).toISOString(), value })),
  };
}

type Point = { at: number; value: number };

/** The numbers that a rule compares over a span, few enough to draw, with the extremes, and how far facts are apart. */
export class Series {
  readonly #parts = new Map<number, { low: Point; high: Point }>();
  readonly #field: string;
  readonly #span: Span;
  readonly #width: number;
  readonly #entityId: string;
  readonly #times = new Map<string, { count: number; first: number; last: number }>();

  constructor({ entityId, content: { condition } }: ActiveRule, span: Span) {
    this.#entityId = entityId;
    this.#field = fieldIn(condition) ?? 'value';
    this.#span = span;
    this.#width = Math.max(1, (span.to - span.from) / PARTS);
  }

  add({ at, values, source, heldFor, silentFor }: Fact): void {
    const { from, to } = this.#span;
    const value = numberIn(values, this.#field);
    if (heldFor === undefined && silentFor === undefined && at >= from && at <= to)
      this.#note(source ?? this.#entityId, at);
    if (value === null || source !== undefined || at < from || at > to) return;
    const part = Math.min(PARTS - 1, Math.floor((at - from) / this.#width));
    const known = this.#parts.get(part);
    if (!known) {
      const point = { at, value };
      this.#parts.set(part, { low: point, high: point });
    } else if (value < known.low.value) known.low = { at, value };
    else if (value > known.high.value) known.high = { at, value };
  }

  #note(id: string, at: number): void {
    const known = this.#times.get(id);
    if (!known) this.#times.set(id, { count: 1, first: at, last: at });
    else {
      known.count += 1;
      known.first = Math.min(known.first, at);
      known.last = Math.max(known.last, at);
    }
  }

  get rates(): Rates {
    return new Map(
      [...this.#times].map(([id, { count, first, last }]) => [
        id,
        count < 2 ? null : (last - first) / (count - 1),
      ]),
    );
  }

  /** Oldest first. */
  points(): Point[] {
    return [...this.#parts.values()]
      .flatMap(({ low, high }) => (low === high ? [low] : [low, high]))
      .toSorted((a, b) => a.at - b.at);
  }
}
