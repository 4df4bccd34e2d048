import { createHash } from 'node:crypto';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Log } from '../../../src/kernel/process/log.ts';
import type { CoapReply, CoapRequest } from '../../coap/contract.ts';
import { Code } from '../../coap/message/message.ts';
import {
  type DriverDevice,
  DriverFailure,
  type DriverHost,
  type DriverPoint,
} from '../../sdk/driver.ts';
import { CodecError } from '../codec/codec.ts';
import { resourceOf } from '../codec/resource.ts';
import { isPack, type Pack, packIn, resourceOf as pathInPack } from '../format/pack.ts';
import type { QueueModeDevices } from '../presence/queue-mode.ts';
import { createRefusalLog } from '../registration/refusal-log.ts';
import type { Registration, Registrations } from '../registration/registration.ts';
import { originTimeOf } from './origin-time.ts';

/** Devices with a remembered last report. */
const MAX_REMEMBERED = 100_000;

/** What devices send by themselves (OMA Core 1.1, 6.4.6: Send). */
export type Sends = {
  /** Answers a request to /dp: 2.04 when it was taken. */
  answer(request: CoapRequest): CoapReply;
  close(): void;
};

export function createSends({
  registrations,
  queueModeDevices,
  host,
  clock,
  log,
}: {
  registrations: Pick<Registrations, 'at'>;
  queueModeDevices: Pick<QueueModeDevices, 'spoke'>;
  host: Pick<DriverHost, 'devices' | 'report'>;
  clock: Clock;
  log: Log;
}): Sends {
  const strays = createRefusalLog(clock, log);
  /** Digest of the last pack of each device in which every value has a date. */
  const lastOf = new Map<string, string>();

  function isRepeated({ deviceId }: Registration, pack: Pack, payload: Buffer): boolean {
    const digest = pack.isDated ? createHash('sha256').update(payload).digest('base64') : '';
    const isSame = digest !== '' && lastOf.get(deviceId) === digest;
    lastOf.delete(deviceId);
    if (digest !== '') lastOf.set(deviceId, digest);
    for (const [oldest] of lastOf) {
      if (lastOf.size <= MAX_REMEMBERED) break;
      lastOf.delete(oldest);
    }
    return isSame;
  }

  function take(device: DriverDevice, pack: Pack): void {
    const known = new Set<string>();
    for (const point of device.points) {
      const path = report(device, point, pack);
      if (path !== null) known.add(path);
    }
    const unknown = pack.paths.filter((path) => !known.has(path)).length + pack.others;
    const facts = { host: 'send', deviceId: device.id, unknown };
    if (unknown > 0) strays.add('a device sent values of no point', facts);
  }

  /** Reports the values of one point; answers its path where the pack has it. */
  function report(device: DriverDevice, point: DriverPoint, pack: Pack): string | null {
    const now = clock.now();
    try {
      const { path, type, executable } = resourceOf(point);
      if (executable || point.rw === 'WRITE_ONLY') return null;
      try {
        const values = pack.valuesOf(path, type);
        if (values.length === 0) return null;
        for (const { value: rawValue, timeS } of values)
          host.report(device, point, { rawValue, ...originTimeOf(timeS, now) });
      } catch (error) {
        if (!(error instanceof CodecError)) throw error;
        const about = { invalid: true, issue: error.message } as const;
        host.report(device, point, { rawValue: '', originTime: now, ...about });
      }
      return pathInPack(path);
    } catch (error) {
      // A point without a path is none of the resources.
      if (error instanceof DriverFailure) return null;
      throw error;
    }
  }

  return {
    answer({ method, path, peer, contentFormat, payload }) {
      if (path.length !== 1) return { code: Code.NOT_FOUND };
      if (method !== 'POST') return { code: Code.METHOD_NOT_ALLOWED };
      const registration = registrations.at(peer);
      const device = registration && host.devices().get(registration.deviceId);
      if (!device) return { code: Code.NOT_FOUND };
      if (!isPack(contentFormat)) return { code: Code.UNSUPPORTED_CONTENT_FORMAT };
      try {
        const pack = packIn(contentFormat, payload);
        if (!hasRegistered(registration, pack)) {
          strays.add('a device sent values of an object that it did not register', {
            host: 'send',
            deviceId: device.id,
          });
          return { code: Code.NOT_FOUND };
        }
        if (device.enabled && !isRepeated(registration, pack, payload)) take(device, pack);
      } catch (error) {
        if (!(error instanceof CodecError)) throw error;
        log.debug({ deviceId: device.id, error }, 'what a device sent was not understood');
        return { code: Code.BAD_REQUEST };
      }
      queueModeDevices.spoke(registration);
      return { code: Code.CHANGED };
    },
    close: strays.close,
  };
}

/**
 * Whether the device registered the objects of all values (OMA Core 1.1, 6.4.6: else 4.04); one that named none, or more
 * than are stored, is taken at its word.
 */
function hasRegistered({ objects, leftOut }: Registration, { paths }: Pack): boolean {
  if (objects.length === 0 || leftOut > 0) return true;
  const known = new Set(objects.map(objectIn));
  return paths.every((path) => known.has(objectIn(path)));
}

const objectIn = (path: string): string => path.split('/', 1)[0] ?? '';
