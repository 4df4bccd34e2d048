import { type Signal, signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';

import { call } from '../../../client/call.ts';
import { ticking } from '../../../client/clock.ts';
import { link } from '../../../client/live.ts';
import type { Schemas } from '../../../client/operations.ts';
import { useWatch } from '../../../client/use-live.ts';

type Point = Schemas['Point'];
/** The last day of a point, in hours; times in ms since the epoch. */
export type Day = Pick<Schemas['PointTrendSeries'], 'parts' | 'gapMs'> & {
  from: number;
  to: number;
  /** When it was asked for. */
  askedAt: number;
};

/** The rows in the window, and the last days of their points. */
export type Sight = {
  /** Ids of the devices whose rows are in the window, once the list rests. */
  devices: Signal<readonly string[]>;
  dayOf(deviceId: string, pointId: string): Signal<Day | null>;
  /** Begins to look at a row; answers how to end it. */
  look(row: Element, deviceId: string): () => void;
};

const REST_MS = 150;
/** Rows that are left keep their days, so that they are there when one comes back. */
const KEPT = 1_000;

function begin(): Sight & { end(): void } {
  const rows = new Map<Element, string>();
  const inWindow = new Set<Element>();
  const days = new Map<string, Signal<Day | null>>();
  const devices = signal<readonly string[]>([]);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const settle = (): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      const ids = [...inWindow].flatMap((row) => rows.get(row) ?? []).toSorted();
      if (ids.join() !== devices.peek().join()) devices.value = ids;
    }, REST_MS);
  };
  const observer = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries)
      if (isIntersecting) inWindow.add(target);
      else inWindow.delete(target);
    settle();
  });
  return {
    devices,
    dayOf(deviceId, pointId) {
      const key = `${deviceId}:${pointId}`;
      const day = days.get(key) ?? signal<Day | null>(null);
      days.delete(key);
      days.set(key, day);
      const [oldest] = days.keys();
      if (days.size > KEPT && oldest !== undefined) days.delete(oldest);
      return day;
    },
    look(row, deviceId) {
      rows.set(row, deviceId);
      observer.observe(row);
      return () => {
        observer.unobserve(row);
        rows.delete(row);
        inWindow.delete(row);
      };
    },
    end() {
      clearTimeout(timer);
      observer.disconnect();
    },
  };
}

export function useSight(): Sight {
  const [sight] = useState(begin);
  useEffect(() => () => sight.end(), []);
  return sight;
}

const HOUR_MS = 3_600_000;
const HOURS = 24;
/** A day that was asked for longer ago is asked for again. */
const FRESH_MS = 300_000;
/** Points of one request, as the server takes them. */
const MOST = 200;

/** Hears the values of the rows in the window, and asks for their last days together. Draws nothing. */
export function InSight({ sight, points }: { sight: Sight; points: readonly Point[] }) {
  const devices = sight.devices.value;
  const of = (some: readonly Point[]) =>
    devices.flatMap((deviceId) => some.map(({ id: pointId }) => ({ deviceId, pointId })));
  useWatch(of(points).map(({ deviceId, pointId }) => `${deviceId}:${pointId}`));
  const step = Math.floor(ticking.value / FRESH_MS);
  const wanted = of(points.filter(({ pointTypeFlag }) => pointTypeFlag !== 'STRING'));
  useEffect(() => {
    const now = ticking.peek();
    const missing = wanted
      .filter(({ deviceId, pointId }) => {
        const day = sight.dayOf(deviceId, pointId).peek();
        return day === null || now - day.askedAt >= FRESH_MS;
      })
      .slice(0, MOST);
    if (missing.length === 0) return undefined;
    const stop = new AbortController();
    void ask(sight, missing, now, stop.signal);
    return () => stop.abort();
  }, [JSON.stringify(wanted), step, link.value === 'live']);
  return null;
}

/** Whole hours, which the server has summed up. Where it is refused or lost, the values are shown without lines. */
async function ask(
  sight: Sight,
  pairs: { deviceId: string; pointId: string }[],
  now: number,
  stop: AbortSignal,
): Promise<void> {
  const to = Math.ceil(now / HOUR_MS) * HOUR_MS;
  const from = to - HOURS * HOUR_MS;
  const span = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
  const trend = await call(
    'POST /data/point_value/trend',
    { pairs, ...span, parts: HOURS },
    stop,
  ).catch(() => null);
  for (const { deviceId, pointId, parts, gapMs } of trend?.series ?? [])
    sight.dayOf(deviceId, pointId).value = { parts, gapMs, from, to, askedAt: now };
}
