import type { Clock } from '../../../src/kernel/clock.ts';
import type { CoapResponse } from '../../coap/contract.ts';
import { type DriverDevice, DriverFailure, type DriverHost } from '../../sdk/driver.ts';
import { type Resource, resourceOf } from '../codec/resource.ts';
import type { Pack } from '../format/pack.ts';
import { coded, reportOf } from '../operation/request.ts';
import { isSamePoint, type Watched } from './observed-point.ts';
import { originTimeOf } from './origin-time.ts';

/** `pack` has the values of the response where that is a report of several points. */
export type Report = (
  deviceId: string,
  watched: Watched,
  response: CoapResponse,
  pack?: Pack,
) => void;

/** Passes on what a device reports of a watched point, with the times that it gives. */
export function createReporter({
  host,
  clock,
}: {
  host: Pick<DriverHost, 'devices' | 'report'>;
  clock: Clock;
}): Report {
  return (deviceId, watched, response, pack) => {
    const device = host.devices().get(deviceId);
    if (!device?.enabled || watched.isOver || !isStillOf(device, watched)) return;
    const { point } = watched;
    const now = clock.now();
    try {
      watched.resource ??= resourceOf(point);
      const values = valuesIn(response, watched.resource, pack);
      // Left out of a report of several points: this one is not reported now.
      if (values.length === 0) return;
      for (const { value: rawValue, timeS } of values)
        host.report(device, point, { rawValue, ...originTimeOf(timeS, now) });
      watched.heardAt = clock.elapsed();
    } catch (error) {
      if (!(error instanceof DriverFailure)) throw error;
      const about = { invalid: true, issue: error.message } as const;
      // The device answered without a value of this point.
      if (response.code >> 5 === 2)
        host.report(device, point, { rawValue: '', originTime: now, ...about });
    }
    // An error, and an answer that is no notification, are the last (RFC 7641 4.2).
    if (response.code >> 5 !== 2 || response.observe === null) watched.running = null;
  };
}

/** A device is a new object whenever something of it changed: another resource may be meant by now. */
function isStillOf(device: DriverDevice, watched: Watched): boolean {
  if (watched.device === device) return true;
  const point = device.points.find(({ id }) => id === watched.point.id);
  if (!point || !isSamePoint(point, watched.point)) return false;
  watched.device = device;
  watched.point = point;
  watched.resource = null;
  return true;
}

const valuesIn = (response: CoapResponse, resource: Resource, pack: Pack | undefined) =>
  pack ? coded(() => pack.valuesOf(resource.path, resource.type)) : reportOf(response, resource);
