import { seeded } from '../../world/seeded.ts';

const MINUTE_MS = 60_000;

/** What leads to an alarm in the field; each comes with what the platform stores of it. */
const origins = [
  'write of the point',
  'write of the device',
  'write in the group',
  'change of the rule',
  'change of the point',
  'change of the device',
  'outage of the driver',
  'outage of the device',
  'return of the device',
  'failure of another point',
  'failure of a neighbour',
  'bad readings',
  'gap',
  'planned work',
] as const;
type Origin = (typeof origins)[number];

/** How an alarm comes about; `held` for a time, `silence` of its point, `away`: its device. */
type Shape = 'value' | 'held' | 'silence' | 'away';

/** Something that is stored; `before`: in ms before the alarm fired. */
export type Happening = { before: number } & (
  | {
      kind: 'write';
      at: 'point' | 'device' | 'group' | 'elsewhere';
      end: 'proven' | 'unknown' | 'failed';
    }
  | { kind: 'change'; of: 'rule' | 'point' | 'other point' | 'device' | 'other device' }
  | { kind: 'alarm'; at: 'device' | 'group' | 'driver' | 'elsewhere' }
  | { kind: 'outage'; of: 'device' | 'driver'; lastsMs: number | null }
  | { kind: 'bad'; at: 'point' | 'device' }
  | { kind: 'work'; of: 'device' | 'group' | 'driver' | 'plant' | 'elsewhere'; lastsMs: number }
);

export type Incident = {
  seed: number;
  origin: Origin;
  shape: Shape;
  /** How long its condition held, or its silence lasted, before it fired. */
  heldMs: number;
  /** Between the values of its point. */
  everyMs: number;
  /** Before the value that fired there was none for so long. */
  gapMs: number | null;
  /** Null: the gap. */
  cause: Happening | null;
  noise: Happening[];
};

/** What every draw of an incident takes. */
function drawing(seed: number) {
  const next = seeded(seed);
  const between = (low: number, high: number): number => low + next() * (high - low);
  return {
    between,
    /** Short times as often as long ones. */
    lead: (low: number, high: number): number =>
      Math.round(low * Math.exp(next() * Math.log(high / low))),
    pick: <T>(list: readonly [T, ...T[]]): T => list[Math.floor(next() * list.length)] ?? list[0],
  };
}
type Draw = ReturnType<typeof drawing>;

const shapesOf: Record<Origin, readonly [Shape, ...Shape[]]> = {
  'write of the point': ['value', 'held'],
  'write of the device': ['value', 'held'],
  'write in the group': ['value', 'held'],
  'change of the rule': ['value'],
  'change of the point': ['value', 'held'],
  'change of the device': ['value', 'silence', 'away'],
  'outage of the driver': ['silence', 'away'],
  'outage of the device': ['silence'],
  'return of the device': ['value'],
  'failure of another point': ['value', 'held'],
  'failure of a neighbour': ['value', 'held'],
  'bad readings': ['value', 'silence'],
  gap: ['value'],
  'planned work': ['value', 'held', 'silence', 'away'],
};

function causeOf(draw: Draw, origin: Origin, shape: Shape, heldMs: number): Happening | null {
  const lead = (most: number): number => heldMs + draw.lead(5_000, most * MINUTE_MS);
  const end = draw.pick(['proven', 'proven', 'proven', 'unknown'] as const);
  switch (origin) {
    case 'write of the point':
      return { kind: 'write', at: 'point', end, before: lead(8) };
    case 'write of the device':
      return { kind: 'write', at: 'device', end, before: lead(8) };
    case 'write in the group':
      return { kind: 'write', at: 'group', end: 'proven', before: lead(5) };
    case 'change of the rule':
      return { kind: 'change', of: 'rule', before: lead(3) };
    case 'change of the point':
      return { kind: 'change', of: 'point', before: lead(6) };
    case 'change of the device':
      return { kind: 'change', of: 'device', before: lead(6) };
    case 'outage of the driver':
      return { kind: 'outage', of: 'driver', lastsMs: null, before: lead(2) };
    case 'outage of the device':
      return { kind: 'outage', of: 'device', lastsMs: null, before: lead(2) };
    case 'return of the device': {
      const before = draw.lead(4 * MINUTE_MS, 50 * MINUTE_MS);
      return { kind: 'outage', of: 'device', before, lastsMs: before - draw.lead(2_000, 100_000) };
    }
    case 'failure of another point':
      return { kind: 'alarm', at: 'device', before: lead(6) };
    case 'failure of a neighbour':
      return { kind: 'alarm', at: 'group', before: lead(5) };
    case 'bad readings':
      // During a silence bad values come in place of good ones.
      return {
        kind: 'bad',
        at: 'point',
        before: shape === 'silence' ? draw.between(0.1, 0.9) * heldMs : draw.lead(5_000, 100_000),
      };
    case 'planned work': {
      const before = heldMs + draw.lead(MINUTE_MS, 4 * 60 * MINUTE_MS);
      const of = draw.pick(['device', 'device', 'group', 'driver', 'plant'] as const);
      return { kind: 'work', of, before, lastsMs: before + draw.lead(MINUTE_MS, 120 * MINUTE_MS) };
    }
    case 'gap':
    default:
      return null;
  }
}

/** What a plant does besides: long before, or elsewhere. */
function noiseOf(draw: Draw): Happening {
  const long = draw.between(25, 120) * MINUTE_MS;
  const any = draw.between(0, 60) * MINUTE_MS;
  const end = draw.pick(['proven', 'unknown', 'failed'] as const);
  return draw.pick<() => Happening>([
    () => ({ kind: 'write', at: draw.pick(['point', 'device', 'group']), end, before: long }),
    () => ({ kind: 'write', at: 'elsewhere', end, before: any }),
    () => ({ kind: 'change', of: draw.pick(['rule', 'point', 'device']), before: 3 * long }),
    () => ({ kind: 'change', of: 'other device', before: any }),
    () => ({ kind: 'alarm', at: draw.pick(['device', 'group']), before: long }),
    () => ({ kind: 'alarm', at: 'elsewhere', before: any }),
    () => ({ kind: 'bad', at: 'device', before: long }),
    () => ({ kind: 'work', of: 'elsewhere', before: any, lastsMs: 2 * long }),
    // It is over long before.
    () => ({ kind: 'work', of: 'device', before: 2 * long, lastsMs: long }),
  ])();
}

/** What is near, and led to nothing. */
const distraction = (draw: Draw, heldMs: number): Happening => {
  const before = heldMs + draw.lead(20_000, 12 * MINUTE_MS);
  return draw.pick<() => Happening>([
    () => ({ kind: 'write', at: 'device', end: 'failed', before }),
    () => ({ kind: 'write', at: 'group', end: 'proven', before: before + 8 * MINUTE_MS }),
    () => ({ kind: 'alarm', at: 'driver', before }),
    () => ({ kind: 'alarm', at: 'group', before: before + 10 * MINUTE_MS }),
    () => ({ kind: 'change', of: 'other point', before: before + 10 * MINUTE_MS }),
    // A long window over everything.
    () => ({
      kind: 'work',
      of: 'plant',
      before: before + 12 * 60 * MINUTE_MS,
      lastsMs: 2 * before + 12 * 60 * MINUTE_MS,
    }),
    // It came after the condition began to hold.
    () => ({ kind: 'write', at: 'device', end: 'proven', before: 0.3 * heldMs }),
  ])();
};

/** One incident, the same for the same seed: what led to it, and what else happened. */
export function incidentOf(seed: number): Incident {
  const draw = drawing(seed);
  const origin = origins[seed % origins.length] ?? 'gap';
  const shape = draw.pick(shapesOf[origin]);
  const heldMs =
    shape === 'held' || shape === 'silence' ? Math.round(draw.between(2, 15)) * MINUTE_MS : 0;
  const everyMs = draw.pick([10_000, 30_000, 60_000]);
  const gapMs = origin === 'gap' ? draw.lead(10 * everyMs, 90 * MINUTE_MS) : null;
  const count = Math.floor(draw.between(3, 8));
  const noise = Array.from({ length: count }, () => noiseOf(draw));
  if (draw.between(0, 1) < 0.4) noise.push(distraction(draw, heldMs));
  return {
    seed,
    origin,
    shape,
    heldMs,
    everyMs,
    gapMs,
    cause: causeOf(draw, origin, shape, heldMs),
    noise,
  };
}
