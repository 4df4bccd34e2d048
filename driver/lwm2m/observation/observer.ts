import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/log/log.ts';
import type { CoapResponse } from '../../coap/contract.ts';
import {
  type DriverDevice,
  DriverFailure,
  type DriverHost,
  type DriverPoint,
} from '../../sdk/driver.ts';
import { createTurns } from '../../sdk/turns.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import { beginTogether, composableOf, isTogether } from './composite.ts';
import { begin } from './observe.ts';
import {
  isAlive,
  isSamePoint,
  newWatched,
  newWatching,
  placeOf,
  wantedOf,
  type Watched,
  type Watching,
} from './observed-point.ts';
import { createReporter } from './report.ts';

const RETRY_MS = 5_000;
const RETRY_MAX_MS = 300_000;
/** A silent device takes one of these for ten seconds. */
const DEVICES_AT_ONCE = 64;
/** The answer to a registration goes first. */
const AFTER_ANSWER_MS = 100;
/** The device cannot be reached at all: requests for its other points would fail as well. */
const SILENT: ReadonlySet<string> = new Set([
  'TIMEOUT',
  'COAP_EXPIRED_IN_QUEUE',
  'COAP_QUEUE_FULL',
  'COAP_CLOSED',
]);

/** Keeps the points of devices observed that are to be reported by themselves. */
export type Observer = {
  /** Takes the points that the device is to report; called first of all, and when it changed. */
  changed(device: DriverDevice): void;
  /** Begins what is missing, again what is lost, and ends what is no longer wanted; does not wait for devices. */
  sweep(): void;
  /** The same for one device, which has just registered or sent an update. */
  heard(deviceId: string): void;
  /** Time (ms) since the device last reported the point by itself; null when it does not. */
  reportedMs(device: Pick<DriverDevice, 'id'>, point: Pick<DriverPoint, 'id'>): number | null;
  /** Ends all of a device that is not registered any more, or not known, without a word to it. */
  forget(deviceId: string): void;
  /** Begins nothing more. */
  stop(): void;
};

// oxlint-disable-next-line max-lines-per-function
export function createObserver({
  host,
  ports,
  registrationOf,
  isAwake,
  clock,
  log,
}: {
  host: Pick<DriverHost, 'devices' | 'report'>;
  ports: Lwm2mPorts;
  registrationOf: (device: DriverDevice) => Registration | undefined;
  /** Whether the device listens now. */
  isAwake: (device: DriverDevice, registration: Registration) => boolean;
  clock: Clock;
  log: Log;
}): Observer {
  const byDevice = new Map<string, Watching>();
  /** The points that devices are to report; those that are to report none are absent. */
  const wanted = new Map<string, readonly DriverPoint[]>();
  const lately = new Set<string>();
  /** Registrations of devices that do not report several points in one observation. */
  const apart = new WeakSet<Registration>();
  let cancelTimer: (() => void) | null = null;
  let stopped = false;
  const turns = createTurns(DEVICES_AT_ONCE, (id, isHeard) =>
    look(id, isHeard).catch((error: unknown) =>
      log.warn({ deviceId: id, error }, 'the points of a device are not observed'),
    ),
  );
  const report = createReporter({ host, clock });

  /** The registration through which the device can be asked. */
  function reachable(device: DriverDevice): Registration | null {
    const registration = registrationOf(device);
    const isReachable = registration && ports.isReachable(registration.peer);
    return isReachable && isAwake(device, registration) ? registration : null;
  }

  /** Whether the observation of the point runs, or is not to be begun yet. */
  function isSettled(watched: Watched | undefined, point: DriverPoint, place: string): boolean {
    if (!watched || watched.place !== place || !isSamePoint(watched.point, point)) return false;
    return isAlive(watched, clock.elapsed()) || clock.elapsed() < watched.retryAt;
  }

  function isDue(id: string): boolean {
    const device = host.devices().get(id);
    const watching = byDevice.get(id);
    const points = wanted.get(id) ?? [];
    const registration = device && reachable(device);
    if (!registration) return false;
    if (!watching || watching.points.size > points.length) return true;
    const place = placeOf(registration);
    const isMoved = watching.points.values().some((watched) => watched.place !== place);
    if (!isMoved && clock.elapsed() < watching.retryAt) return false;
    return points.some((point) => !isSettled(watching.points.get(point.id), point, place));
  }

  /** The points of a device one after the other: it takes one request at a time. */
  async function look(deviceId: string, isHeard: boolean): Promise<void> {
    const device = host.devices().get(deviceId);
    const registration = device && reachable(device);
    if (!registration) return;
    const watching = byDevice.get(deviceId) ?? newWatching();
    byDevice.set(deviceId, watching);
    // How long it was silent before says nothing of one that has just spoken.
    if (isHeard) watching.silences = 0;
    const place = placeOf(registration);
    const points = wanted.get(deviceId) ?? [];
    await endOthers(watching, points, place);
    const isCurrent = () =>
      !stopped &&
      host.devices().get(deviceId) === device &&
      byDevice.get(deviceId) === watching &&
      registrationOf(device) === registration &&
      placeOf(registration) === place;
    while (isTogether(device, registration) && !apart.has(registration)) {
      if (!isCurrent()) return;
      if (!isHeard && clock.elapsed() < watching.retryAt) return;
      const due = points.filter((one) => !isSettled(watching.points.get(one.id), one, place));
      const members = composableOf(due);
      // One point is observed as any other device would report it.
      if (members.length < 2) break;
      if (!(await attemptTogether(device, registration, watching, members))) return;
    }
    for (const point of points) {
      if (!isCurrent()) return;
      const former = watching.points.get(point.id);
      if (isSettled(former, point, place)) continue;
      if (!isHeard && clock.elapsed() < watching.retryAt) return;
      if (!(await attempt(device, registration, watching, point))) return;
    }
    if (watching.points.size === 0) byDevice.delete(deviceId);
  }

  /** What began elsewhere is ended without a word: it has no device any more. */
  async function endOthers(watching: Watching, points: readonly DriverPoint[], place: string) {
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

  /** Answers false when the device is silent. */
  async function attempt(
    device: DriverDevice,
    registration: Registration,
    watching: Watching,
    point: DriverPoint,
  ): Promise<boolean> {
    const watched = renewed(watching, registration, point);
    try {
      const take = (response: CoapResponse) => report(device.id, watched, response);
      await begin({ ports, clock, registration, watched, take });
      began(device.id, watching, [watched]);
      watched.failures = 0;
      return true;
    } catch (error) {
      drop([watched]);
      const isSilent = error instanceof DriverFailure && SILENT.has(error.code);
      const failures = isSilent ? (watching.silences += 1) : (watched.failures += 1);
      const waitMs = Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MAX_MS);
      (isSilent ? watching : watched).retryAt = clock.elapsed() + waitMs;
      const facts = { deviceId: device.id, pointId: point.id, waitMs, error };
      if (!stopped) log[failures === 1 ? 'warn' : 'debug'](facts, 'a point is not observed');
      return !isSilent;
    }
  }

  /** The same for several points in one observation; a device that refuses is asked for each of them alone. */
  async function attemptTogether(
    device: DriverDevice,
    registration: Registration,
    watching: Watching,
    points: readonly DriverPoint[],
  ): Promise<boolean> {
    const members = points.map((point) => renewed(watching, registration, point));
    const end = (): void => {
      apart.add(registration);
      drop(members);
    };
    try {
      await beginTogether({
        ports,
        clock,
        registration,
        members,
        report: (watched, response, pack) => report(device.id, watched, response, pack),
        lost: end,
      });
      began(device.id, watching, members);
      return true;
    } catch (error) {
      end();
      const isSilent = error instanceof DriverFailure && SILENT.has(error.code);
      if (isSilent) {
        watching.silences += 1;
        watching.retryAt = clock.elapsed() + RETRY_MS;
      }
      const facts = { deviceId: device.id, points: members.length, error };
      if (!stopped) log.info(facts, 'points are observed one by one');
      return !isSilent;
    }
  }

  /** What is kept of an observation that begins, again or for the first time. */
  function renewed(watching: Watching, registration: Registration, point: DriverPoint): Watched {
    const former = watching.points.get(point.id);
    former?.running?.end();
    if (former) former.isOver = true;
    const watched = newWatched(point, placeOf(registration));
    watched.query = former?.query ?? [];
    watched.failures = former?.failures ?? 0;
    watching.points.set(point.id, watched);
    return watched;
  }

  function began(deviceId: string, watching: Watching, members: readonly Watched[]): void {
    // Gone meanwhile.
    if (byDevice.get(deviceId) !== watching) for (const { running } of members) running?.end();
    watching.silences = 0;
    watching.retryAt = 0;
  }

  function drop(members: readonly Watched[]): void {
    for (const watched of members) {
      watched.running?.end();
      watched.running = null;
    }
  }

  function forget(deviceId: string): void {
    for (const watched of byDevice.get(deviceId)?.points.values() ?? []) {
      watched.isOver = true;
      watched.running?.end();
    }
    byDevice.delete(deviceId);
    if (!host.devices().has(deviceId)) wanted.delete(deviceId);
  }

  return {
    changed(device) {
      const points = wantedOf(device);
      if (points.length > 0) wanted.set(device.id, points);
      else wanted.delete(device.id);
    },
    sweep() {
      const due = wanted.keys().filter(isDue).toArray();
      for (const id of byDevice.keys()) if (!wanted.has(id) && isDue(id)) due.push(id);
      const silencesOf = (id: string): number => byDevice.get(id)?.silences ?? 0;
      // Those that answer do not wait for the silent ones.
      turns.next(due.toSorted((a, b) => silencesOf(a) - silencesOf(b)));
    },
    heard(deviceId) {
      if (stopped || (!byDevice.has(deviceId) && !wanted.has(deviceId))) return;
      lately.add(deviceId);
      cancelTimer ??= clock.after(AFTER_ANSWER_MS, () => {
        cancelTimer = null;
        for (const id of lately) turns.heard(id);
        lately.clear();
      });
    },
    reportedMs({ id: deviceId }, { id }) {
      const watched = byDevice.get(deviceId)?.points.get(id);
      if (!watched || watched.heardAt === null || !isAlive(watched, clock.elapsed())) return null;
      return clock.elapsed() - watched.heardAt;
    },
    forget,
    stop() {
      stopped = true;
      turns.stop();
      cancelTimer?.();
    },
  };
}
