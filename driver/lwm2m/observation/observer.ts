import type { Clock } from '../../../src/core/clock.ts';
import type { Log } from '../../../src/core/log/log.ts';
import type { CoapResponse } from '../../coap/contract.ts';
import {
  type DriverDevice,
  DriverFailure,
  type DriverHost,
  type DriverPoint,
} from '../../sdk/driver.ts';
import type { Lwm2mPorts } from '../ports.ts';
import type { Registration } from '../registration/registration.ts';
import { readingOf, readResource, writeAttributes } from '../resource-request.ts';
import { resourceOf } from '../resource.ts';
import { isObserved, notificationAttributesOf } from './attributes.ts';

const ASK_MS = 10_000;
/** Beyond the longest time between two reports: until then an observation counts as alive. */
const GRACE_MS = 15_000;
const RETRY_MS = 5_000;
const RETRY_MAX_MS = 300_000;
const DEVICES_AT_ONCE = 16;

type Watched = {
  point: DriverPoint;
  registrationId: string;
  /** When the device last reported; null before it took the request. */
  heardAt: number | null;
  pmaxMs: number;
  retryAt: number;
  failures: number;
  cancel: (() => Promise<void>) | null;
};

/** Keeps the points of devices observed that are to be reported by themselves. */
export type Observer = {
  /** Begins what is missing, again what is lost, and ends what is no longer wanted. */
  sweep(): Promise<void>;
  /** The same for one device, which has just registered. */
  look(device: DriverDevice): Promise<void>;
  /** When the device last reported the point by itself (ms since the epoch); null when it does not. */
  reportedAt(device: Pick<DriverDevice, 'id'>, point: Pick<DriverPoint, 'id'>): number | null;
  forget(deviceId: string): void;
};

export function createObserver({
  host,
  ports,
  registrationOf,
  clock,
  log,
}: {
  host: Pick<DriverHost, 'devices' | 'report'>;
  ports: Lwm2mPorts;
  registrationOf: (device: DriverDevice) => Registration | undefined;
  clock: Clock;
  log: Log;
}): Observer {
  const byDevice = new Map<string, Map<string, Watched>>();
  const busy = new Set<string>();

  function isAlive({ heardAt, pmaxMs, cancel }: Watched): boolean {
    return cancel !== null && heardAt !== null && clock.now() - heardAt <= pmaxMs + GRACE_MS;
  }

  /** A value of its own accord, or the first one. */
  function take(device: DriverDevice, watched: Watched, response: CoapResponse): void {
    const current = host.devices().get(device.id);
    const point = current?.points.find(({ id }) => id === watched.point.id);
    if (!current || !point || byDevice.get(device.id)?.get(point.id) !== watched) return;
    const originTime = clock.now();
    try {
      const rawValue = readingOf(response, resourceOf(point));
      watched.heardAt = originTime;
      host.report(current, point, { rawValue, originTime });
    } catch (error) {
      if (!(error instanceof DriverFailure)) throw error;
      // It is no longer observed, or says what the point cannot hold: the next look asks again.
      if (response.code >> 5 !== 2) watched.cancel = null;
      else
        host.report(current, point, {
          rawValue: '',
          originTime,
          invalid: true,
          issue: error.message,
        });
    }
  }

  async function begin(device: DriverDevice, registration: Registration, watched: Watched) {
    const { point } = watched;
    const resource = resourceOf(point);
    const { pmaxS, query } = notificationAttributesOf(point);
    const deadline = clock.now() + ASK_MS;
    const target = { registration, ...resource, deadline };
    await writeAttributes((peer, request) => ports.request(peer, request), target, query);
    const rawValue = await readResource(async (peer, request) => {
      const { response, cancel } = await ports.observe(peer, request, (later) =>
        take(device, watched, later),
      );
      watched.cancel = cancel;
      return response;
    }, target);
    watched.pmaxMs = pmaxS * 1_000;
    watched.heardAt = watched.cancel ? clock.now() : null;
    const current = host.devices().get(device.id);
    if (current) host.report(current, point, { rawValue, originTime: clock.now() });
  }

  async function attempt(device: DriverDevice, registration: Registration, watched: Watched) {
    const former = watched.cancel;
    watched.cancel = null;
    watched.heardAt = null;
    await former?.();
    try {
      await begin(device, registration, watched);
      if (watched.cancel) watched.failures = 0;
      else throw new DriverFailure('NOT_OBSERVABLE', 'the device does not report the resource');
    } catch (error) {
      watched.failures += 1;
      const waitMs = Math.min(RETRY_MS * 2 ** (watched.failures - 1), RETRY_MAX_MS);
      watched.retryAt = clock.now() + waitMs;
      const facts = { deviceId: device.id, pointId: watched.point.id, waitMs, error };
      log[watched.failures === 1 ? 'warn' : 'debug'](facts, 'a point is not observed');
    }
  }

  /** The points of a device one after the other: it takes one request at a time. */
  async function ofDevice(device: DriverDevice): Promise<void> {
    const registration = registrationOf(device);
    const watching = byDevice.get(device.id) ?? new Map<string, Watched>();
    const wanted = device.enabled && registration ? device.points.filter(isObserved) : [];
    const ids = new Set(wanted.map(({ id }) => id));
    for (const [id, { cancel, registrationId }] of watching) {
      if (ids.has(id)) continue;
      watching.delete(id);
      if (registration?.id === registrationId) await cancel?.();
    }
    if (!registration || wanted.length === 0) return void byDevice.delete(device.id);
    byDevice.set(device.id, watching);
    for (const point of wanted) {
      if (host.devices().get(device.id) !== device || !ports.isReachable(registration.peer)) return;
      const former = watching.get(point.id);
      // A device that registered anew has forgotten its observations (OMA Core 1.1, 6.4).
      const isSame = former?.registrationId === registration.id && sameConfigs(former.point, point);
      if (isSame && (isAlive(former) || clock.now() < former.retryAt)) continue;
      const watched: Watched = isSame
        ? former
        : {
            point,
            registrationId: registration.id,
            heardAt: null,
            pmaxMs: 0,
            retryAt: 0,
            failures: 0,
            cancel: null,
          };
      watching.set(point.id, watched);
      await attempt(device, registration, watched);
    }
  }

  async function look(device: DriverDevice): Promise<void> {
    if (busy.has(device.id)) return;
    busy.add(device.id);
    try {
      await ofDevice(device);
    } catch (error) {
      log.warn({ deviceId: device.id, error }, 'the points of a device are not observed');
    } finally {
      busy.delete(device.id);
    }
  }

  return {
    look,
    async sweep() {
      const queue = [...host.devices().values()]
        .filter(({ id, points }) => byDevice.has(id) || points.some(isObserved))
        .values();
      const worker = async (): Promise<void> => {
        for (const device of queue) await look(device);
      };
      await Promise.all(Array.from({ length: DEVICES_AT_ONCE }, worker));
    },
    reportedAt: ({ id: deviceId }, { id }) => {
      const watched = byDevice.get(deviceId)?.get(id);
      return watched && isAlive(watched) ? watched.heardAt : null;
    },
    forget: (deviceId) => void byDevice.delete(deviceId),
  };
}

const sameConfigs = (one: DriverPoint, other: DriverPoint): boolean =>
  one.type === other.type && JSON.stringify(one.configs) === JSON.stringify(other.configs);
