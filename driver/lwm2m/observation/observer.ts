import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { CoapResponse } from '../../coap/contract.ts';
import {
  type DriverDevice,
  DriverFailure,
  type DriverHost,
  type DriverPoint,
} from '../../sdk/driver.ts';
import { createTurns, type Turns } from '../../sdk/turns.ts';
import type { Registration } from '../registration/registration.ts';
import type { Lwm2mPorts } from '../security/ports.ts';
import { beginComposite, composableOf, isComposite } from './composite.ts';
import { begin } from './observe.ts';
import {
  drop,
  endOthers,
  isAlive,
  isSamePoint,
  newWatched,
  newWatching,
  placeOf,
  wantedOf,
  type Watched,
  type Watching,
} from './observed-point.ts';
import { createReporter, type Report } from './report.ts';

const RETRY_MS = 5_000;
const RETRY_MAX_MS = 300_000;
/** A silent device takes one of these for ten seconds. */
const DEVICES_AT_ONCE = 64;
/** The answer to a registration goes first. */
const AFTER_ANSWER_MS = 100;
type Parts = {
  host: Pick<DriverHost, 'devices' | 'report'>;
  ports: Lwm2mPorts;
  registrationOf: (device: DriverDevice) => Registration | undefined;
  /** Whether the device listens now. */
  isAwake: (device: DriverDevice, registration: Registration) => boolean;
  clock: Clock;
  log: Log;
};

/** Keeps the points of devices observed that are to be reported by themselves. */
export class Observer {
  readonly #parts: Parts;
  readonly #byDevice = new Map<string, Watching>();
  /** The points that devices are to report; those that are to report none are absent. */
  readonly #wanted = new Map<string, readonly DriverPoint[]>();
  readonly #lately = new Set<string>();
  /** Registrations of devices that do not report several points in one observation. */
  readonly #apart = new WeakSet<Registration>();
  #cancelTimer: (() => void) | null = null;
  #stopped = false;
  readonly #turns: Turns;
  readonly #report: Report;

  constructor(parts: Parts) {
    const { log, host, clock } = parts;
    this.#parts = parts;
    this.#turns = createTurns(DEVICES_AT_ONCE, (id, isHeard) =>
      this.#look(id, isHeard).catch((error: unknown) =>
        log.warn({ deviceId: id, error }, 'the points of a device are not observed'),
      ),
    );
    this.#report = createReporter({ host, clock });
  }

  /** Takes the points that the device is to report; called first of all, and when it changed. */
  changed(device: DriverDevice): void {
    const points = wantedOf(device);
    if (points.length > 0) this.#wanted.set(device.id, points);
    else this.#wanted.delete(device.id);
  }

  /** Begins what is missing, again what is lost, and ends what is no longer wanted; does not wait for devices. */
  sweep(): void {
    const due = this.#wanted.keys().filter(this.#isDue).toArray();
    for (const id of this.#byDevice.keys())
      if (!this.#wanted.has(id) && this.#isDue(id)) due.push(id);
    const silencesOf = (id: string): number => this.#byDevice.get(id)?.silences ?? 0;
    // Those that answer do not wait for the silent ones.
    this.#turns.next(due.toSorted((a, b) => silencesOf(a) - silencesOf(b)));
  }

  /** The same for one device, which has just registered or sent an update. */
  heard(deviceId: string): void {
    if (this.#stopped || (!this.#byDevice.has(deviceId) && !this.#wanted.has(deviceId))) return;
    this.#lately.add(deviceId);
    this.#cancelTimer ??= this.#parts.clock.after(AFTER_ANSWER_MS, () => {
      this.#cancelTimer = null;
      for (const id of this.#lately) this.#turns.heard(id);
      this.#lately.clear();
    });
  }

  /** Time (ms) since the device last reported the point by itself; null when it does not. */
  reportedMs(
    { id: deviceId }: Pick<DriverDevice, 'id'>,
    { id }: Pick<DriverPoint, 'id'>,
  ): number | null {
    const { clock } = this.#parts;
    const watched = this.#byDevice.get(deviceId)?.points.get(id);
    if (!watched || watched.heardAt === null || !isAlive(watched, clock.elapsed())) return null;
    return clock.elapsed() - watched.heardAt;
  }

  /** Ends all of a device that is not registered any more, or not known, without a word to it. */
  forget(deviceId: string): void {
    for (const watched of this.#byDevice.get(deviceId)?.points.values() ?? []) {
      watched.isOver = true;
      watched.running?.end();
    }
    this.#byDevice.delete(deviceId);
    if (!this.#parts.host.devices().has(deviceId)) this.#wanted.delete(deviceId);
  }

  /** Begins nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#turns.stop();
    this.#cancelTimer?.();
  }

  readonly #isDue = (id: string): boolean => {
    const { host, clock } = this.#parts;
    const device = host.devices().get(id);
    const watching = this.#byDevice.get(id);
    const points = this.#wanted.get(id) ?? [];
    const registration = device && this.#reachable(device);
    if (!registration) return false;
    if (!watching || watching.points.size > points.length) return true;
    const place = placeOf(registration);
    const isMoved = watching.points.values().some((watched) => watched.place !== place);
    if (!isMoved && clock.elapsed() < watching.retryAt) return false;
    return points.some((point) => !this.#isSettled(watching.points.get(point.id), point, place));
  };

  /** The registration through which the device can be asked. */
  #reachable(device: DriverDevice): Registration | null {
    const { registrationOf, ports, isAwake } = this.#parts;
    const registration = registrationOf(device);
    const isReachable = registration && ports.isReachable(registration.peer);
    return isReachable && isAwake(device, registration) ? registration : null;
  }

  /** Whether the observation of the point runs, or is not to be begun yet. */
  #isSettled(watched: Watched | undefined, point: DriverPoint, place: string): boolean {
    const { clock } = this.#parts;
    if (!watched || watched.place !== place || !isSamePoint(watched.point, point)) return false;
    return isAlive(watched, clock.elapsed()) || clock.elapsed() < watched.retryAt;
  }

  /** The points of a device one after the other: it takes one request at a time. */
  async #look(deviceId: string, isHeard: boolean): Promise<void> {
    const { host, registrationOf, clock } = this.#parts;
    const device = host.devices().get(deviceId);
    const registration = device && this.#reachable(device);
    if (!registration) return;
    const watching = this.#byDevice.get(deviceId) ?? newWatching();
    this.#byDevice.set(deviceId, watching);
    // How long it was silent before says nothing of one that has just spoken.
    if (isHeard) watching.silences = 0;
    const place = placeOf(registration);
    const points = this.#wanted.get(deviceId) ?? [];
    await endOthers(watching, points, place);
    const isCurrent = () =>
      !this.#stopped &&
      host.devices().get(deviceId) === device &&
      this.#byDevice.get(deviceId) === watching &&
      registrationOf(device) === registration &&
      placeOf(registration) === place;
    while (isComposite(device, registration) && !this.#apart.has(registration)) {
      if (!isCurrent()) return;
      if (!isHeard && clock.elapsed() < watching.retryAt) return;
      const due = points.filter((one) => !this.#isSettled(watching.points.get(one.id), one, place));
      const members = composableOf(due);
      // One point is observed as any other device would report it.
      if (members.length < 2) break;
      if (!(await this.#attemptTogether(device, registration, watching, members))) return;
    }
    for (const point of points) {
      if (!isCurrent()) return;
      const former = watching.points.get(point.id);
      if (this.#isSettled(former, point, place)) continue;
      if (!isHeard && clock.elapsed() < watching.retryAt) return;
      if (!(await this.#attempt(device, registration, watching, point))) return;
    }
    if (watching.points.size === 0) this.#byDevice.delete(deviceId);
  }

  /** Answers false when the device is silent. */
  async #attempt(
    device: DriverDevice,
    registration: Registration,
    watching: Watching,
    point: DriverPoint,
  ): Promise<boolean> {
    const { ports, clock, log } = this.#parts;
    const watched = this.#renewed(watching, registration, point);
    try {
      const take = (response: CoapResponse) => this.#report(device.id, watched, response);
      await begin({ ports, clock, registration, watched, take });
      this.#began(device.id, watching, [watched]);
      watched.failures = 0;
      return true;
    } catch (error) {
      drop([watched]);
      const isSilent = error instanceof DriverFailure && error.isSilent;
      const failures = isSilent ? (watching.silences += 1) : (watched.failures += 1);
      const waitMs = Math.min(RETRY_MS * 2 ** (failures - 1), RETRY_MAX_MS);
      (isSilent ? watching : watched).retryAt = clock.elapsed() + waitMs;
      const facts = { deviceId: device.id, pointId: point.id, waitMs, error };
      if (!this.#stopped) log[failures === 1 ? 'warn' : 'debug'](facts, 'a point is not observed');
      return !isSilent;
    }
  }

  /** The same for several points in one observation; a device that refuses is asked for each of them alone. */
  async #attemptTogether(
    device: DriverDevice,
    registration: Registration,
    watching: Watching,
    points: readonly DriverPoint[],
  ): Promise<boolean> {
    const { ports, clock, log } = this.#parts;
    const members = points.map((point) => this.#renewed(watching, registration, point));
    const end = (): void => {
      this.#apart.add(registration);
      drop(members);
    };
    try {
      await beginComposite({
        ports,
        clock,
        registration,
        members,
        report: (watched, response, pack) => this.#report(device.id, watched, response, pack),
        lost: end,
      });
      this.#began(device.id, watching, members);
      return true;
    } catch (error) {
      end();
      const isSilent = error instanceof DriverFailure && error.isSilent;
      if (isSilent) {
        watching.silences += 1;
        watching.retryAt = clock.elapsed() + RETRY_MS;
      }
      const facts = { deviceId: device.id, points: members.length, error };
      if (!this.#stopped) log.info(facts, 'points are observed one by one');
      return !isSilent;
    }
  }

  /** What is kept of an observation that begins, again or for the first time. */
  #renewed(watching: Watching, registration: Registration, point: DriverPoint): Watched {
    const former = watching.points.get(point.id);
    former?.running?.end();
    if (former) former.isOver = true;
    const watched = newWatched(point, placeOf(registration));
    watched.query = former?.query ?? [];
    watched.failures = former?.failures ?? 0;
    watching.points.set(point.id, watched);
    return watched;
  }

  #began(deviceId: string, watching: Watching, members: readonly Watched[]): void {
    // Gone meanwhile.
    if (this.#byDevice.get(deviceId) !== watching)
      for (const { running } of members) running?.end();
    watching.silences = 0;
    watching.retryAt = 0;
  }
}
