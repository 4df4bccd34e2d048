import type { Payload } from '../../../src/bus/topic/topics.ts';
import type { Session } from '../people/session.ts';
import { Records } from '../people/shapes.ts';
import type { World } from '../world/app.ts';
import { fresh } from '../world/fresh-name.ts';

type Waiting = NonNullable<Payload<'svc.e.registered'>['waiting']>[number];
type Reported = Partial<Waiting> & { endpoint: string };

/** Reports an endpoint that no device has, as the LwM2M driver does. */
export function reportWaiting(world: Pick<World, 'bus' | 'clock'>, given: Reported): Promise<void> {
  const now = world.clock.now();
  const one = { host: '192.0.2.7', since: now, last: now, attempts: 1, ...given };
  const message = { driverCode: 'Lwm2mDriver', node: 'test', devices: [], waiting: [one] };
  return world.bus.handled('svc.e.registered', message, 'Lwm2mDriver');
}

/** The id of an endpoint that waits and is seen by this session: it proved the key of a device, if one is given. */
export async function waitingEndpoint(
  world: Pick<World, 'bus' | 'clock'>,
  session: Session,
  deviceId?: string,
): Promise<string> {
  const endpoint = fresh('urn:stranger');
  const key = deviceId === undefined ? {} : { key: { tenantId: session.tenantId, deviceId } };
  await reportWaiting(world, { endpoint, ...key });
  const page = await session.data('/api/v3/manager/device/waiting/list', { endpoint });
  return Records.parse(page).records[0]?.id ?? '';
}
