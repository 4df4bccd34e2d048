import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Agent, createServer } from 'coap';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { startWorld, type World } from '../support/app.ts';
import { eventually } from '../support/eventually.ts';
import { add, fresh, pointAttributes } from '../support/plant.ts';

const MANAGER = '/api/v3/manager';
const Records = z.object({ records: z.array(z.looseObject({ id: z.string() })) });
const Attributes = z.array(z.looseObject({ id: z.string(), attributeCode: z.string() }));
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

/** docs/specification/lwm2m.md, Takeover: a device that answers from another address on the clear port. */
describe('a device that was taken over', () => {
  let world: World;
  let deviceId: string;
  let pointId: string;
  const endpoint = fresh('urn:meter');
  const open: (() => void)[] = [];

  beforeAll(async () => {
    world = await startWorld();
    const { admin } = world;
    const found = await admin.data(`${MANAGER}/driver/list`, { driverCode: 'Lwm2mDriver' });
    const driverId = Records.parse(found).records[0]?.id ?? '';
    const profileId = await add(admin, 'profile', { profileName: fresh('meter') });
    const point = { pointName: 'set-point', pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE' };
    pointId = await add(admin, 'point', { ...point, profileId });
    deviceId = await add(admin, 'device', { deviceName: fresh('meter'), driverId, profileId });
    const ofPoint = await pointAttributes(admin, driverId);
    for (const [code, configValue] of Object.entries({ objectId: '3308', resourceId: '5900' }))
      await add(admin, 'point_attribute_config', {
        deviceId,
        pointId,
        attributeId: ofPoint.get(code),
        configValue,
      });
    const path = `${MANAGER}/driver_attribute/list_by_driver_id`;
    const rows = Attributes.parse(await admin.data(path, undefined, { driver_id: driverId }));
    const attributeId = rows.find(({ attributeCode }) => attributeCode === 'endpoint')?.id;
    const config = { deviceId, attributeId, configValue: endpoint };
    await add(admin, 'driver_attribute_config', config);
  });
  afterAll(async () => {
    for (const close of open) close();
    await world?.stop();
  });

  /** Registers from an address and keeps what is written; answers how to fall silent. */
  const device = async (address: string) => {
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
    const request = agent.request({
      host: '127.0.0.1',
      port: world.lwm2mPort,
      pathname: '/rd',
      query: `ep=${endpoint}&lt=3600&lwm2m=1.1&b=U`,
      method: 'POST',
    });
    request.end();
    const [response] = await once(request, 'response');
    expect(response.code).toBe('2.01');
    let isOpen = true;
    const close = () => {
      if (!isOpen) return;
      isOpen = false;
      server.close();
      agent.close();
      socket.close();
    };
    open.push(close);
    return close;
  };
  const write = async (value: number) => {
    const body = { deviceId, pointId, value };
    const id = await world.admin.data('/api/v3/data/point_command/write', body);
    const path = '/api/v3/data/point_command_history/get_by_command_id';
    return eventually(
      async () =>
        Receipt.parse(await world.admin.data(path, undefined, { command_id: String(id) })),
      ({ status }) => !['PENDING', 'SENT'].includes(status),
    );
  };
  const alarms = async () => {
    const page = await world.admin.data('/api/v3/data/dashboard/alert/page', { source: 'device' });
    return Alerts.parse(page).records.filter(({ sourceId }) => sourceId === deviceId);
  };

  it('is never VERIFIED before a person confirmed the alarm about it', async () => {
    const silence = await device('127.0.0.1');
    expect(await write(21)).toMatchObject({ status: 'SUCCESS', verification: 'VERIFIED' });
    expect(await alarms()).toEqual([]);
    silence();
    await device('127.0.0.2');
    const unsure = { verification: 'UNVERIFIED', errorCode: 'PEER_CHANGED' };
    expect(await write(22)).toMatchObject(unsure);
    const [alarm, ...more] = await eventually(alarms, (all) => all.length > 0);
    expect(more).toEqual([]);
    expect(alarm).toMatchObject({
      alarmSourceFlag: 4,
      alarmLevelFlag: 1,
      message: expect.stringContaining('127.0.0.2 and no longer from 127.0.0.1'),
    });
    const latest = await world.admin.data('/api/v3/data/point_value/latest', { deviceId, pointId });
    expect(latest).toMatchObject({
      records: [{ calValue: '22', quality: 'UNCERTAIN', valueIssue: alarm?.message }],
    });
    const decision = { source: 'device', id: alarm?.id };
    const alert = '/api/v3/data/dashboard/alert';
    await world.admin.data(`${alert}/confirm`, decision);
    await eventually(
      () => write(23),
      ({ verification }) => verification === 'VERIFIED',
    );
    await world.admin.data(`${alert}/unconfirm`, decision);
    await eventually(
      () => write(24),
      ({ errorCode }) => errorCode === 'PEER_CHANGED',
    );
    expect(await alarms()).toHaveLength(1);
  });
});
