import type { Series, Window } from '../../../../src/data/digest/find/series.ts';
import { seeded } from '../../world/seeded.ts';

const HOUR_MS = 3_600_000;
const START = Date.UTC(2026, 2, 1);

/** How a value behaves without a fault. */
const natures = ['noise', 'day', 'walk', 'quantised', 'switched', 'controlled'] as const;
type Nature = (typeof natures)[number];

export const faults = ['step', 'drift', 'spike', 'gap', 'stuck'] as const;
type Fault = { kind: (typeof faults)[number]; from: number; to: number };

export type Planted = {
  series: Series;
  window: Window;
  decimals: number;
  nature: Nature;
  /** Null in a quiet one; times in ms. */
  fault: Fault | null;
};

/** Draws of one series; the same for the same seed. */
function drawing(seed: number) {
  const next = seeded(seed);
  const between = (low: number, high: number): number => low + next() * (high - low);
  return {
    between,
    pick: <T>(list: readonly [T, ...T[]]): T => list[Math.floor(next() * list.length)] ?? list[0],
    /** Standard normal (Box–Muller). */
    normal: (): number => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next()),
  };
}
type Draw = ReturnType<typeof drawing>;

/** A series of `hours` that behaves as its nature, with values due every `intervalMs` and slightly late. */
function quiet(draw: Draw, nature: Nature): Omit<Planted, 'fault'> & { noise: number } {
  const hours = draw.pick([24, 24, 24, 12, 48, 168]);
  const intervalMs = draw.pick([10_000, 30_000, 60_000]);
  const from = START + Math.floor(draw.between(0, 86_400)) * 1000;
  const to = from + hours * HOUR_MS;
  const count = Math.floor((to - from) / intervalMs);
  const times = Float64Array.from(
    { length: count },
    (_, index) => from + index * intervalMs + Math.floor(draw.between(0, intervalMs / 10)),
  );
  const noise = 10 ** draw.between(-2, 1);
  const valueAt = natureOf(draw, nature, { noise, intervalMs });
  const values = times.map((time) => valueAt(time));
  const decimals = nature === 'quantised' ? 3 : Math.max(0, 2 - Math.floor(Math.log10(noise)));
  return {
    series: { times, values: values.map((value) => Number(value.toFixed(decimals))) },
    window: { from, to, intervalMs },
    decimals,
    nature,
    noise,
  };
}

function natureOf(
  draw: Draw,
  nature: Nature,
  { noise, intervalMs }: { noise: number; intervalMs: number },
): (time: number) => number {
  const level = draw.between(-100, 500) * noise;
  const phase = draw.between(0, 2 * Math.PI);
  const day = (time: number): number => Math.sin((2 * Math.PI * time) / (24 * HOUR_MS) + phase);
  const jitter = (): number => noise * draw.normal();
  const walk = walker(draw, intervalMs, draw.between(0.1, 2) * HOUR_MS);
  const amplitude = draw.between(1, 20) * noise;
  const isOn = switching(draw, intervalMs);
  const quantum = draw.between(0.5, 4) * noise;
  const lag = intervalMs / (draw.between(0.1, 0.6) * HOUR_MS);
  const isNoisy = draw.pick([0, 0.05]);
  let state = 0.5;
  const values: Record<Nature, (time: number) => number> = {
    noise: () => level + jitter(),
    day: (time) => level + amplitude * day(time) + jitter(),
    walk: () => level + 3 * noise * walk() + 0.3 * jitter(),
    quantised: () => Math.round((level + noise * walk() + 0.3 * jitter()) / quantum) * quantum,
    switched: () => level + (isOn() ? amplitude : 0) + isNoisy * jitter(),
    // A temperature that follows a heating.
    controlled: () => {
      state += lag * ((isOn() ? 1 : 0) - state);
      return level + amplitude * state + 0.1 * jitter();
    },
  };
  return values[nature];
}

/** A random walk that is drawn back to 0, with deviation 1 and a memory of `memoryMs`. */
function walker(draw: Draw, intervalMs: number, memoryMs: number): () => number {
  const keep = Math.exp(-intervalMs / memoryMs);
  let state = draw.normal();
  return () => {
    state = keep * state + Math.sqrt(1 - keep * keep) * draw.normal();
    return state;
  };
}

/** On and off by turns of similar length, at least eight times in twelve hours. */
function switching(draw: Draw, intervalMs: number): () => boolean {
  const cycleMs = draw.between(0.2, 1.5) * HOUR_MS;
  const share = draw.between(0.25, 0.75);
  let isOn = false;
  let left = 0;
  return () => {
    left -= intervalMs;
    if (left <= 0) {
      isOn = !isOn;
      left = cycleMs * (isOn ? share : 1 - share) * draw.between(0.8, 1.2);
    }
    return isOn;
  };
}

/** A series without a fault; natures take turns by the seed. */
export function quietSeries(seed: number): Planted {
  const nature = natures[seed % natures.length] ?? 'noise';
  const { noise: _, ...series } = quiet(drawing(seed), nature);
  return { ...series, fault: null };
}

/** A day of an inverter without a fault: a bow from sunrise to sunset with some clouds, 0 at night; with values each minute to half an hour. */
export function sunnySeries(seed: number): Planted {
  const draw = drawing(seed);
  const intervalMs = draw.pick([1, 5, 15, 30]) * 60_000;
  const from = START + Math.floor(draw.between(0, 24)) * HOUR_MS;
  const to = from + 24 * HOUR_MS;
  const count = (to - from) / intervalMs;
  const times = Float64Array.from({ length: count }, (_, index) => from + index * intervalMs);
  const peak = draw.between(3, 80);
  const values = times.map((time) => {
    const hour = (time / HOUR_MS) % 24;
    const sun = Math.max(0, Math.sin((Math.PI * (hour - 6)) / 12));
    return Number((peak * sun * draw.between(0.93, 1)).toFixed(2));
  });
  const window = { from, to, intervalMs };
  return { series: { times, values }, window, decimals: 2, nature: 'day', fault: null };
}

/** A series with one fault; faults take turns by the seed, on the natures in which they are faults. */
export function faultySeries(seed: number): Planted {
  const kind = faults[seed % faults.length] ?? 'step';
  const draw = drawing(seed);
  const nature = draw.pick(['noise', 'day', 'walk'] as const);
  const { noise, ...made } = quiet(draw, nature);
  const { series, window } = made;
  const { times, values } = series;
  const span = window.to - window.from;
  const bucket = span / 24;
  const begin = window.from + draw.between(0.15, 0.7) * span;
  const sign = draw.pick([-1, 1]);
  // What a fault has to exceed to be one: the noise; of a walk, how far it goes by itself.
  const scale = nature === 'walk' ? 3 * noise : noise;
  const end = {
    step: window.to,
    drift: window.to,
    spike: begin + draw.between(1.5, 5) * Math.max(window.intervalMs, bucket / 60),
    gap: begin + draw.between(6, 100) * window.intervalMs,
    stuck: begin + draw.between(1, 4) * bucket,
  }[kind];
  const inside = (time: number): boolean => time >= begin && time < end;
  const size = sign * scale * draw.between(12, 40);
  const decimal = 10 ** made.decimals;
  const shown = (value: number): number => Math.round(value * decimal) / decimal;
  const first = times.findIndex(inside);
  const fault: Fault = { kind, from: times[first] ?? 0, to: times.findLast(inside) ?? 0 };
  if (kind === 'gap') {
    const stays = (_: number, index: number): boolean => !inside(times[index] ?? 0);
    fault.from = times[first - 1] ?? 0;
    fault.to = times.find((time) => time >= end) ?? 0;
    return { ...made, fault, series: { times: times.filter(stays), values: values.filter(stays) } };
  }
  const planted = values.map((value, index) => {
    const time = times[index] ?? 0;
    if (!inside(time)) return value;
    if (kind === 'stuck') return values[first] ?? 0;
    if (kind === 'drift') return shown(value + (size * (time - begin)) / (window.to - begin));
    return shown(value + size);
  });
  return { ...made, fault, series: { times, values: planted } };
}
