import type { Payload } from '../../../src/bus/topics.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import type { Driver } from '../driver.ts';
import { intervalOf } from '../schedule.ts';

/** What a driver declares to the platform. */
export function registration(
  driver: Driver,
  { node, serviceHost = '', clock }: { node: string; serviceHost?: string; clock: Clock },
): Payload<'svc.e.driver_register'> {
  const readIntervalMs = intervalOf(driver.readCron, clock.now());
  const takes = new Map(Object.entries(driver.takes?.() ?? {}));
  const driverAttributes = driver.driverAttributes.map((attribute) => {
    const oneOf = takes.get(attribute.code);
    return oneOf ? { ...attribute, oneOf: [...oneOf] } : attribute;
  });
  return {
    driverCode: driver.code,
    driverName: driver.name,
    driverType: driver.type,
    // docs/specification/objects.md, Driver: a service named svc-driver-*.
    serviceName: `svc-driver-${driver.code.replace(/Driver$/, '').toLowerCase()}`,
    serviceHost,
    node,
    ...(readIntervalMs === null ? {} : { readIntervalMs }),
    driverAttributes,
    pointAttributes: [...driver.pointAttributes],
    commandAttributes: [...(driver.commandAttributes ?? [])],
    eventAttributes: [...(driver.eventAttributes ?? [])],
  };
}
