import type { RunningObservation } from '../../coap/contract.ts';
import type { DriverDevice, DriverPoint } from '../../sdk/driver.ts';
import type { Resource } from '../codec/resource.ts';
import type { Registration } from '../registration/registration.ts';
import { isObserved } from './attributes.ts';

/** Beyond the longest time between two reports: until then an observation counts as alive. */
const GRACE_MS = 15_000;
/** Further points of a device are read. */
const MAX_POINTS = 500;

/** A point that its device is to report. Times are those of the monotonic clock. */
export type Watched = {
  point: DriverPoint;
  /** The device as it was when `point` was last looked up. */
  device: DriverDevice | null;
  /** Of the point, once it was needed. */
  resource: Resource | null;
  /** Where it began, see `placeOf`. */
  place: string;
  running: RunningObservation | null;
  /** When the device last reported; null before it took the request. */
  heardAt: number | null;
  pmaxMs: number;
  /** The notification attributes that the device has. */
  query: readonly string[];
  retryAt: number;
  failures: number;
  /** Another one replaced it, or its device is gone: a report of it counts no more. */
  isOver: boolean;
};

/** The watched points of a device, and how long it has been silent. */
export type Watching = { points: Map<string, Watched>; silences: number; retryAt: number };

export const newWatching = (): Watching => ({ points: new Map(), silences: 0, retryAt: 0 });

export const newWatched = (point: DriverPoint, place: string): Watched => ({
  point,
  device: null,
  resource: null,
  place,
  running: null,
  heardAt: null,
  pmaxMs: 0,
  query: [],
  retryAt: 0,
  failures: 0,
  isOver: false,
});

/**
 * What an observation ends with: the registration (OMA Core 1.1, 6.4), and the address, over DTLS the session, to which
 * its tokens belong.
 */
export const placeOf = ({ id, peer: { proven, address, port } }: Registration): string =>
  `${id} ${proven?.session ?? `${address} ${port}`}`;

export const isAlive = ({ heardAt, pmaxMs, running }: Watched, elapsed: number): boolean =>
  running !== null && heardAt !== null && elapsed - heardAt <= pmaxMs + GRACE_MS;

/** Whether reports that began with one are still those of the other. */
export const isSamePoint = (one: DriverPoint, other: DriverPoint): boolean =>
  one === other ||
  (one.type === other.type && JSON.stringify(one.configs) === JSON.stringify(other.configs));

/** The points that the device is to report. */
export const wantedOf = ({ enabled, points }: DriverDevice): readonly DriverPoint[] =>
  enabled ? points.filter(isObserved).slice(0, MAX_POINTS) : [];

/** What began elsewhere is ended without a word: it has no device any more. */
export async function endOthers(
  watching: Watching,
  points: readonly DriverPoint[],
  place: string,
): Promise<void> {
  const ids = new Set(points.map(({ id }) => id));
  let isSilent = false;
  for (const [id, watched] of watching.points) {
    const isMoved = watched.place !== place;
    if (!isMoved && ids.has(id)) continue;
    watching.points.delete(id);
    watched.isOver = true;
    const { running } = watched;
    watched.running = null;
    if (!running) continue;
    if (isMoved || isSilent) running.end();
    else isSilent = !(await running.cancel());
  }
}

export function drop(members: readonly Watched[]): void {
  for (const watched of members) {
    watched.running?.end();
    watched.running = null;
  }
}
