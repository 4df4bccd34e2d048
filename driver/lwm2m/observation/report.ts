import type { Clock } from '../../../src/core/clock.ts';
import type { CoapResponse } from '../../coap/contract.ts';
import { DriverFailure, type DriverHost } from '../../sdk/driver.ts';
import type { Pack } from '../codec/pack/pack.ts';
import { coded, reportOf } from '../resource/request.ts';
import { type Resource, resourceOf } from '../resource/resource.ts';
import { originTimeOf } from './origin-time.ts';
import { isSamePoint, type Watched } from './watched.ts';

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
  isWatched,
}: {
  host: Pick<DriverHost, 'devices' | 'report'>;
  clock: Clock;
  /** Whether the observation is still the one of the point. */
  isWatched: (deviceId: string, watched: Watched) => boolean;
}): Report {
  return (deviceId, watched, response, pack) => {
    const device = host.devices().get(deviceId);
    const point = device?.points.find(({ id }) => id === watched.point.id);
    // Another resource may be meant by now.
    if (!point || !device?.enabled || !isSamePoint(point, watched.point)) return;
    if (!isWatched(deviceId, watched)) return;
    const now = clock.now();
    try {
      const values = valuesIn(response, resourceOf(point), pack);
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

const valuesIn = (response: CoapResponse, resource: Resource, pack: Pack | undefined) =>
  pack ? coded(() => pack.valuesOf(resource.path, resource.type)) : reportOf(response, resource);
