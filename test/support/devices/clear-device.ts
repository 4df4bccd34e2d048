import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Agent, createServer } from 'coap';
import { z } from 'zod';

import { inTenant } from '../../../src/db/tenant.ts';
import { EntityType } from '../../../src/manager/entity/entity-type.ts';
import { Attributes, Records } from '../people/shapes.ts';
import type { World } from '../world/app.ts';
import { eventually } from '../world/eventually.ts';
import { fresh } from '../world/fresh-name.ts';
import { add, pointAttributes } from './plant.ts';

const MANAGER = '/api/v3/manager';
const Receipt = z.looseObject({
  status: z.string(),
  verification: z.string(),
  errorCode: z.string(),
});
const Alerts = z.object({
  records: z.array(
    z.looseObject({
      id: z.string(),
      sourceId: z.string(),
      alarmSourceFlag: z.unknown(),
      message: z.string(),
    }),
  ),
});

/** A device of the LwM2M driver with one writable point, as the platform knows it; `configs` are of the point. */
export async function clearDevice(world: World, configs: Record<string, string> = {}) {
  const { admin } = world;
  const endpoint = fresh('urn:meter');
  const found = await admin.data(`${MANAGER}/driver/list`, { driverCode: 'Lwm2mDriver' });
  const driverId = Records.parse(found).records[0]?.id ?? '';
  const profileId = await add(admin, 'profile', { profileName: fresh('meter') });
  const point = { pointName: 'set-point', pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE' };
  const pointId = await add(admin, 'point', { ...point, profileId });
  const deviceName = fresh('meter');
  const deviceId = await add(admin, 'device', { deviceName, driverId, profileId });
  const ofPoint = await pointAttributes(admin, driverId);
  const ofResource = { objectId: '3308', resourceId: '5900', ...configs };
  for (const [code, configValue] of Object.entries(ofResource))
    await add(admin, 'point_attribute_config', {
      deviceId,
      pointId,
      attributeId: ofPoint.get(code),
      configValue,
    });
  const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
  const rows = Attributes.parse(await admin.data(path, undefined, { driver_id: driverId }));
  const attributeId = rows.find(({ attributeCode }) => attributeCode === 'endpoint')?.id;
  await add(admin, 'driver_attribute_config', { deviceId, attributeId, configValue: endpoint });
  const open: (() => void)[] = [];
  const servedAt = () =>
    inTenant(world.app.db, admin.tenantId, (q) =>
      q
        .selectFrom('svc_entity_state')
        .select(['node', 'peerHost'])
        .where('tenantId', '=', admin.tenantId)
        .where('entityTypeFlag', '=', EntityType.DEVICE)
        .where('entityId', '=', deviceId)
        .executeTakeFirst(),
    );

  return {
    endpoint,
    deviceId,
    pointId,
    /**
     * Registers from an address and keeps what is written; answers how to fall silent. Resolves when the
     * commands go there.
     */
    async at(
      address: string,
      { port, node } = { port: world.lwm2mPort, node: world.app.config.node },
    ): Promise<() => void> {
      const socket = createSocket('udp4').bind(0, address);
      await once(socket, 'listening');
      let held = '20';
      const server = createServer((request, response) => {
        if (request.method === 'PUT') {
          held = request.payload.toString();
          response.statusCode = '2.04';
        }
        response.end(request.method === 'GET' ? held : undefined);
      });
      server.listen(socket);
      const agent = new Agent({ socket });
      let isOpen = true;
      const close = () => {
        if (!isOpen) return;
        isOpen = false;
        server.close();
        agent.close();
        socket.close();
      };
      open.push(close);
      // A copy of the driver learns of the device a moment after it was configured.
      await eventually(
        async () => {
          const query = `ep=${endpoint}&lt=3600&lwm2m=1.1&b=U`;
          const to = { host: '127.0.0.1', port, pathname: '/rd', query, method: 'POST' } as const;
          const request = agent.request(to);
          request.end();
          const [response] = await once(request, 'response');
          return String(response.code);
        },
        (code) => code === '2.01',
      );
      await eventually(
        () => servedAt(),
        (served) => served?.node === node && served.peerHost === address,
      );
      return close;
    },
    async write(value: number) {
      const id = await admin.data('/api/v3/data/point_command/write', { deviceId, pointId, value });
      const history = '/api/v3/data/point_command_history/get_by_command_id';
      return eventually(
        async () => Receipt.parse(await admin.data(history, undefined, { command_id: String(id) })),
        ({ status }) => !['PENDING', 'SENT'].includes(status),
      );
    },
    async alarms() {
      const page = await admin.data('/api/v3/data/dashboard/alert/page', { source: 'device' });
      return Alerts.parse(page).records.filter(({ sourceId }) => sourceId === deviceId);
    },
    latest: () => admin.data('/api/v3/data/point_value/latest', { deviceId, pointId }),
    close() {
      for (const close of open) close();
    },
  };
}
export type ClearDevice = Awaited<ReturnType<typeof clearDevice>>;
