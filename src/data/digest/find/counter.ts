import { at, type Series } from './series.ts';

/** Where a counter began anew, and from which value. */
export type Reset = { time: number; from: number };

type Counted = { increases: Float64Array; resets: Reset[] };

/** What is measured in these is no count: temperatures, shares, pressures, powers, currents, rates. */
const OF_A_LEVEL =
  /\/|^(?:°[CF]?|℃|K|%|‰|ppm|ppb|pH|dBA?|lx|[hkM]?Pa|m?bar|psi|[mkM]?W|[mk]?A|[mk]?V|VA|kVA|[kM]?Hz|rpm|[cm]?m|°)$/;
/** A counter begins anew at less than this share of what it had, as a divisor: a tank that is pumped out keeps more. */
const ANEW = 5;
/** A counter rises so much oftener than it falls. */
const RISES = 5;

/**
 * By how much a counter rose with each value; null for a series that is none: by its unit, or because it falls now and
 * then, and not to less than a fifth. Where a counter falls it began anew, and what it has since is its increase; a lone
 * value before one as high as ever is none of its own.
 */
export function countedIn(
  { times, values }: Series,
  unit: string,
  lead: number | null,
): Counted | null {
  if (OF_A_LEVEL.test(unit.trim())) return null;
  let rises = 0;
  let strays = 0;
  const increases = new Float64Array(values.length);
  const resets: Reset[] = [];
  let before = lead ?? at(values, 0);
  for (let index = 0; index < values.length; index += 1) {
    const value = at(values, index);
    if (value < 0) return null;
    if (value < before) {
      if (value > before / ANEW) return null;
      if (at(values, index + 1) >= before) {
        strays += 1;
        continue;
      }
      resets.push({ time: at(times, index), from: before });
    }
    if (value > before) rises += 1;
    increases[index] = value < before ? value : value - before;
    before = value;
  }
  return rises > 0 && rises >= RISES * (resets.length + strays) ? { increases, resets } : null;
}

/**
 * A counter as if it had never begun anew, so that this is no spike or step; `shown` is a value of it at a time (ms) as the
 * counter showed it.
 */
export function unbroken({ times, values }: Series, resets: readonly Reset[]) {
  const risen = values.slice();
  let had = 0;
  let next = 0;
  for (let index = 0; index < risen.length; index += 1) {
    for (; (resets[next]?.time ?? Infinity) <= at(times, index); next += 1)
      had += resets[next]?.from ?? 0;
    risen[index] = at(values, index) + had;
  }
  const shown = (value: number, time: number): number =>
    resets.reduce((left, reset) => (reset.time <= time ? left - reset.from : left), value);
  return { series: { times, values: risen }, shown };
}
