import { z } from 'zod';

import type { Buckets } from '../../src/data/digest/buckets.ts';
import type { Digest } from '../../src/data/digest/digest.ts';
import type { NumberDigest } from '../../src/data/digest/number-digest.ts';
import type { Sample } from '../../src/data/digest/plot.ts';
import type { NamedPair } from '../../src/data/value/pair.ts';
import { inZone } from '../../src/kernel/sentence/time-zone.ts';
import { Reported, Visible, Unit } from '../shape/text.ts';
import { tokensIn } from '../shape/tokens.ts';

const Value = z.union([z.number(), Reported(64)]);
const At = z.object({ time: z.string(), value: Value });

/** A series as a model reads it: no empty fields, times in the zone of the plant, numbers as the point shows them. */
export const Series = z.object({
  deviceId: z.string(),
  deviceName: Visible(),
  pointId: z.string(),
  pointName: Visible(),
  unit: Unit,
  count: z.int(),
  expected: z.int(),
  coverage: z.number(),
  uncertain: z.int().optional(),
  bad: z.int().optional(),
  /** When the oldest stored value came, in a window that begins before it. */
  firstValue: z.string().optional(),
  first: At.optional(),
  /** With its age, or, in a window that ended before, its time. */
  last: z
    .object({
      value: Value,
      time: z.string().optional(),
      ageS: z.number().optional(),
      stale: z.boolean().optional(),
    })
    .optional(),
  min: z.number().optional(),
  minAt: z.string().optional(),
  max: z.number().optional(),
  maxAt: z.string().optional(),
  mean: z.number().optional(),
  p5: z.number().optional(),
  p50: z.number().optional(),
  p95: z.number().optional(),
  slopePerHour: z.number().optional(),
  sparkline: z.string().optional(),
  shares: z.array(z.object({ value: Reported(64), share: z.number() })).optional(),
  switches: z.int().optional(),
  lastSwitch: z.string().optional(),
  gapCount: z.int().optional(),
  gapS: z.number().optional(),
  gaps: z.array(z.object({ from: z.string(), s: z.number() })).optional(),
  spikes: z.array(z.object({ at: z.string(), peak: z.number(), s: z.number() })).optional(),
  flatLines: z.array(z.object({ from: z.string(), s: z.number(), value: z.number() })).optional(),
  changes: z
    .array(
      z.object({
        at: z.string(),
        kind: z.enum(['step', 'drift']),
        by: z.number().optional(),
        perHour: z.number().optional(),
      }),
    )
    .optional(),
  comparedToBefore: z.object({ mean: z.number(), min: z.number(), max: z.number() }).optional(),
  samples: z.array(At).optional(),
  every: z
    .array(
      z.object({
        from: z.string(),
        count: z.int().optional(),
        mean: z.number().optional(),
        min: z.number().optional(),
        max: z.number().optional(),
        increase: z.number().optional(),
      }),
    )
    .optional(),
  /** Of a counter: in the whole window. */
  increase: z.number().optional(),
  resets: z.array(z.object({ at: z.string(), from: z.number() })).optional(),
  resetCount: z.int().optional(),
});
type Series = z.input<typeof Series>;

/** Of a series without the values asked for. */
const MAX_TOKENS = 300;
/** The newest, of a counter that begins anew again and again. */
const MAX_RESETS = 5;
/** A window that is longer needs no seconds. */
const WITH_SECONDS_MS = 6 * 3_600_000;
const FINDINGS = ['flatLines', 'spikes', 'changes', 'gaps'] as const;

/** `zone`: IANA name; `spanMs`: length of the window. */
export function seriesOf(digest: NamedPair & Digest, zone: string, spanMs: number): Series {
  const time = (ms: number): string => {
    const text = inZone(ms, zone);
    return spanMs > WITH_SECONDS_MS ? text.replace(/:\d\d(?=Z|[+-]\d\d:)/, '') : text;
  };
  const { samples, numbers } = digest;
  const at = atOf(numbers?.decimals ?? 0, time);
  return {
    ...shortened(described(digest, time)),
    ...(samples.length > 0 && { samples: samples.map(at) }),
    ...(digest.buckets && bucketsIn(digest.buckets, numbers?.decimals ?? 0, time)),
  };
}

/** Of a counter what it counted, of anything else its level. */
function bucketsIn(
  { parts, total, resets }: Buckets,
  decimals: number,
  time: (ms: number) => string,
): Pick<Series, 'every' | 'increase' | 'resets' | 'resetCount'> {
  const figure = (value: number): number => rounded(value, decimals);
  return {
    ...(parts.length > 0 && {
      every: parts.map(({ from, count, increase, ...level }) => ({
        from: time(from),
        ...(increase === null
          ? { count, mean: figure(level.mean), min: figure(level.min), max: figure(level.max) }
          : { increase: figure(increase) }),
      })),
    }),
    ...(total !== null && { increase: figure(total) }),
    ...(resets.length > 0 && {
      resets: resets
        .slice(-MAX_RESETS)
        .map((reset) => ({ at: time(reset.time), from: figure(reset.from) })),
    }),
    ...(resets.length > MAX_RESETS && { resetCount: resets.length }),
  };
}

function described(digest: NamedPair & Digest, time: (ms: number) => string): Series {
  const { numbers, states, gaps, first, last } = digest;
  const at = atOf(numbers?.decimals ?? 0, time);
  const { deviceId, deviceName, pointId, pointName, unit } = digest;
  return {
    deviceId,
    deviceName,
    pointId,
    pointName,
    unit,
    count: digest.count,
    expected: digest.expected,
    coverage: rounded(digest.coverage, 3),
    ...(digest.uncertain > 0 && { uncertain: digest.uncertain }),
    ...(digest.bad > 0 && { bad: digest.bad }),
    ...(digest.firstAt !== null && { firstValue: time(digest.firstAt) }),
    ...(first && { first: at(first) }),
    ...(last && { last: lastOf(last, at(last)) }),
    ...(numbers && levelOf(numbers, time, (digest.buckets?.resets.length ?? 0) > 0)),
    ...(states && {
      shares: states.shares.map(({ value, share }) => ({ value, share: rounded(share, 3) })),
      switches: states.switches,
      ...(states.since !== null && { lastSwitch: time(states.since) }),
    }),
    ...(gaps.count > 0 && {
      gapCount: gaps.count,
      gapS: rounded(gaps.totalS, 3),
      gaps: gaps.longest.map(({ from, s }) => ({ from: time(from), s: rounded(s, 3) })),
    }),
    ...(numbers && findingsOf(digest, numbers, time)),
  };
}

const lastOf = (
  { ageS, stale }: NonNullable<Digest['last']>,
  { time, value }: z.input<typeof At>,
) => (ageS === undefined ? { value, time } : { value, ageS, stale });

/** Leaves out findings, of the kind with the most its last one, until a model can take the series. */
function shortened(series: Series): Series {
  const short = { ...series };
  while (tokensIn(JSON.stringify(short)) > MAX_TOKENS) {
    const [most] = FINDINGS.toSorted((a, b) => (short[b]?.length ?? 0) - (short[a]?.length ?? 0));
    if (most === undefined || (short[most]?.length ?? 0) < 2) return short;
    Object.assign(short, { [most]: short[most]?.slice(0, -1) });
  }
  return short;
}

const atOf = (decimals: number, time: (ms: number) => string) => (sample: Sample) => ({
  time: time(sample.time),
  value: typeof sample.value === 'number' ? rounded(sample.value, decimals) : sample.value,
});

/** A counter that began anew has no level. */
function levelOf(numbers: NumberDigest, time: (ms: number) => string, isBroken: boolean) {
  const { min, max, mean, p5, p50, p95, slopePerHour, spark, decimals } = numbers;
  const figure = (value: number): number => rounded(value, decimals);
  return {
    min: figure(min.value),
    minAt: time(min.time),
    max: figure(max.value),
    maxAt: time(max.time),
    ...(!isBroken && {
      mean: figure(mean),
      p5: figure(p5),
      p50: figure(p50),
      p95: figure(p95),
    }),
    ...(slopePerHour !== null && { slopePerHour: Number(slopePerHour.toPrecision(2)) }),
    sparkline: spark,
  };
}

function findingsOf(
  { change }: Digest,
  { spikes, flats, changes, decimals }: NumberDigest,
  time: (ms: number) => string,
) {
  const figure = (value: number): number => rounded(value, decimals);
  return {
    ...(spikes.length > 0 && {
      spikes: spikes.map((spike) => ({
        at: time(spike.time),
        peak: figure(spike.peak),
        s: Math.round(spike.s),
      })),
    }),
    ...(flats.length > 0 && {
      flatLines: flats.map(({ from, s, value }) => ({
        from: time(from),
        s: Math.round(s),
        value: figure(value),
      })),
    }),
    ...(changes.length > 0 && {
      changes: changes.map((one) =>
        one.kind === 'step'
          ? { at: time(one.time), kind: one.kind, by: figure(one.by) }
          : {
              at: time(one.time),
              kind: one.kind,
              perHour: Number(one.perHour.toPrecision(2)),
            },
      ),
    }),
    ...(change && {
      comparedToBefore: {
        mean: figure(change.mean),
        min: figure(change.min),
        max: figure(change.max),
      },
    }),
  };
}

const rounded = (value: number, decimals: number): number =>
  Number(value.toFixed(Math.min(decimals, 20)));
