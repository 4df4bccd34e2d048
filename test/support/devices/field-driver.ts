import { z } from 'zod';

import type { WebhookReceiver } from '../neighbours/webhook-receiver.ts';
import type { Session } from '../people/session.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { fresh } from '../world/fresh-name.ts';
import { add, onboard } from './plant.ts';

export const LEASE_MS = 45_000;
const driverCode = 'FieldDriver';
const Page = z.object({ records: z.array(z.looseObject({ id: z.string(), message: z.string() })) });

/** A driver that runs nowhere, whose heartbeats are those of the test, and what a webhook gets about it. */
export function fieldDriver(world: World, hook: WebhookReceiver) {
  // The thermostat and the drivers of the platform itself are away or late at other times.
  const ofField = ({ tenantId }: Session) =>
    hook.received
      .map(({ path, body }) => ({ path, ...JSON.parse(body) }))
      .filter(({ data }) => data.tenantId === tenantId)
      .map(({ path, type, data }) => ({ path, said: `${type} ${data.target} ${data.message}` }))
      .filter(({ said }) => !/LwM2M|Virtual|thermostat/.test(said));
  const saidOf = (session: Session): string[] => ofField(session).map(({ said }) => said);
  return {
    /** What the receiver took of a tenant about the driver and its devices. */
    saidOf,
    /** The paths at which the receiver took lines that begin so. */
    pathsOf: (session: Session, begin: string): string[] =>
      ofField(session)
        .filter(({ said }) => said.startsWith(begin))
        .map(({ path }) => path),
    says: (session: Session, part: string): Promise<string[]> =>
      eventually(
        async () => saidOf(session),
        (all) => all.some((line) => line.includes(part)),
      ),
    /** The driver says that it serves these devices; nothing is heard of its others. */
    async heard(
      { tenantId }: Session,
      deviceIds: readonly string[],
      status: 'ONLINE' | 'OFFLINE' = 'ONLINE',
    ): Promise<void> {
      const devices = deviceIds.map((deviceId) => ({
        tenantId,
        deviceId,
        status,
        description: '',
      }));
      const at = world.clock.now();
      const state = { driverCode, node: 'field', at, leaseMs: LEASE_MS, devices };
      await world.bus.handled('svc.e.state', state, driverCode);
    },
    async devicesOf(session: Session, count: number): Promise<string[]> {
      const driverId = await add(session, 'driver', {
        driverName: 'Field driver',
        driverCode,
        serviceName: 'field',
        serviceHost: '',
      });
      const { profileId } = await onboard(session);
      const ids: string[] = [];
      for (let at = 0; at < count; at += 1) {
        const given = { deviceName: fresh('boiler'), driverId, profileId };
        ids.push(await add(session, 'device', given));
      }
      return ids;
    },
    /** The id of the outage whose message begins so. */
    async outageOf(session: Session, begin: string): Promise<string> {
      const found = await session.data('/api/v3/data/dashboard/alert/page', { size: 200 });
      const { records } = Page.parse(found);
      return records.find(({ message }) => message.startsWith(begin))?.id ?? '';
    },
  };
}
