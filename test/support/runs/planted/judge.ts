import { binned } from '../../../../src/data/digest/find/bins.ts';
import { type Findings, findingsIn } from '../../../../src/data/digest/find/findings.ts';
import { type Gaps, gapsIn, longestPause } from '../../../../src/data/digest/find/gaps.ts';
import { faults, faultySeries, type Planted, quietSeries } from './series.ts';

type Found = Findings & { gaps: Gaps };

/** Buckets of a window: a fault has to be found within one of where it is. */
const BUCKETS = 24;

export function found({ series, window, decimals }: Planted): Found {
  const arrivals = { from: series.times, to: series.times, usualMs: 0, isRegular: false };
  const pauseMs = longestPause(arrivals, window.intervalMs);
  return {
    gaps: gapsIn(arrivals, window, pauseMs),
    ...findingsIn(series, binned(series, pauseMs), pauseMs, 10 ** -decimals),
  };
}

/** Whether the planted fault was found: its kind, and its place within one bucket; a gap to the millisecond. */
function isFound({ window, fault }: Planted, { gaps, spikes, flats, changes }: Found): boolean {
  if (!fault) return false;
  const { kind, from, to } = fault;
  const bucketMs = (window.to - window.from) / BUCKETS;
  const isNear = (time: number, place: number): boolean => Math.abs(time - place) <= bucketMs;
  if (kind === 'gap')
    return gaps.longest.some((gap) => gap.from === from && gap.s === (to - from) / 1000);
  if (kind === 'spike') return spikes.some(({ time }) => isNear(time, from));
  if (kind === 'stuck') return flats.some((flat) => isNear(flat.from, from) && isNear(flat.to, to));
  return changes.some((change) => change.kind === kind && isNear(change.time, from));
}

/** Of `count` series with a fault: those whose fault was not found, by kind, with their seeds. */
export function missedFaults(count: number): Record<string, number[]> {
  const missed: Record<string, number[]> = Object.fromEntries(faults.map((kind) => [kind, []]));
  for (let seed = 1; seed <= count; seed += 1) {
    const planted = faultySeries(seed);
    if (!isFound(planted, found(planted))) missed[planted.fault?.kind ?? '']?.push(seed);
  }
  return missed;
}

/** Of `count` series without a fault: the seeds of those in which something was found, by what. */
export function falseFindings(count: number): Record<keyof Found, number[]> {
  const wrong: Record<keyof Found, number[]> = { changes: [], spikes: [], flats: [], gaps: [] };
  for (let seed = 1; seed <= count; seed += 1) {
    const { gaps, ...others } = found(quietSeries(seed));
    if (gaps.count > 0) wrong.gaps.push(seed);
    if (others.changes.length > 0) wrong.changes.push(seed);
    if (others.spikes.length > 0) wrong.spikes.push(seed);
    if (others.flats.length > 0) wrong.flats.push(seed);
  }
  return wrong;
}
