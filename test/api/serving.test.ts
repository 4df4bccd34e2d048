import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Payload } from '../../src/bus/topic/topics.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { releaseLapsed } from '../../src/manager/presence/lease.ts';
import { add } from '../support/devices/plant.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

type State = Payload<'svc.e.state'>;
type Report = Omit<State['devices'][number], 'tenantId' | 'deviceId' | 'description'>;

const LEASE_MS = 45_000;
const Receipt = z.object({ status: z.string(), errorCode: z.string(), errorMessage: z.string() });

/** Two nodes of a driver, as far as the centers can see: what they publish, and what they are sent. */
describe('a device of a driver with two nodes', () => {
  let driverCode: string;
  let driverId: string;
  let profileId: string;
  let pointId: string;
  /** `node command id`, in order of arrival. */
  const commands: string[] = [];
  /** `device node`, as the copies of the driver are told. */
  const told: string[] = [];
  /** By device, what the copies were told last of its address. */
  const peers = new Map<string, { host: string; change: unknown }>();

  const world = startedWorld();
  beforeAll(async () => {
    driverCode = fresh('Twin');
    await world.bus.handled('svc.e.driver_register', registration('a'), driverCode);
    const drivers = z
      .object({ records: z.array(z.object({ id: z.string() })) })
      .parse(await world.admin.data('/api/v3/manager/driver/list', { driverCode }));
    driverId = drivers.records[0]?.id ?? '';
    profileId = await add(world.admin, 'profile', { profileName: fresh('twins') });
    const point = { pointName: 'level', pointTypeFlag: 'DOUBLE', rwFlag: 'READ_WRITE', profileId };
    pointId = await add(world.admin, 'point', point);
    for (const node of ['a', 'b'])
      await world.app.bus.subscribe(
        'svc.e.point_command',
        { queue: `test.${driverCode}.${node}`, key: `${driverCode}.${node}` },
        async ({ commandId }) => void commands.push(`${node} ${commandId}`),
      );
    await world.app.bus.subscribe(
      'svc.e.metadata',
      { queue: `test.${driverCode}`, key: driverCode },
      async (message) => {
        if (message.kind === 'serving')
          for (const { deviceId, peer } of message.devices) if (peer) peers.set(deviceId, peer);
        if (message.kind === 'serving')
          told.push(...message.devices.map(({ deviceId }) => `${deviceId} ${message.node}`));
        if (message.kind === 'device') told.push(`${message.device.id} ${message.node}`);
      },
    );
  });

  const registration = (node: string): Payload<'svc.e.driver_register'> => ({
    driverCode,
    driverName: driverCode,
    driverType: 'DRIVER_CLIENT',
    serviceName: 'svc-driver-twin',
    serviceHost: '',
    node,
    driverAttributes: [],
    pointAttributes: [],
  });
  const device = () =>
    add(world.admin, 'device', { deviceName: fresh('twin'), driverId, profileId });
  type More = Partial<Pick<State, 'leaving' | 'centerAt'>>;
  const say = async (node: string, deviceId: string, report: Report, more: More = {}) => {
    const { tenantId } = world.admin;
    const devices = more.leaving ? [] : [{ tenantId, deviceId, description: '', ...report }];
    const state: State = { driverCode, node, at: 0, leaseMs: LEASE_MS, devices, ...more };
    await world.bus.handled('svc.e.state', state, driverCode);
  };
  const status = async (deviceId: string): Promise<unknown> =>
    z
      .record(z.string(), z.unknown())
      .parse(await world.admin.data('/api/v3/data/device/status/list', { driverId }))[deviceId];
  const read = async (deviceId: string): Promise<string> =>
    String(await world.admin.data('/api/v3/data/point_command/read', { deviceId, pointId }));
  const servedBy = async (deviceId: string): Promise<string> => {
    const commandId = await read(deviceId);
    const found = await eventually(
      async () => commands.find((command) => command.endsWith(commandId)),
      (command) => command !== undefined,
    );
    return found?.split(' ')[0] ?? '';
  };
  const ONLINE = { status: 'ONLINE' } as const;
  const OFFLINE = { status: 'OFFLINE', claim: 'none' } as const;

  it('is served by the node where it registered last, whatever the other one says', async () => {
    const id = await device();
    await say('a', id, { ...ONLINE, heldMs: 5_000 });
    expect(await servedBy(id)).toBe('a');
    await say('b', id, OFFLINE);
    expect(await status(id)).toBe('online');
    await say('b', id, { ...ONLINE, heldMs: 0 });
    expect(await servedBy(id)).toBe('b');
    await say('a', id, { ...ONLINE, claim: 'keeps', heldMs: 9_000 });
    await say('a', id, OFFLINE);
    expect(await status(id)).toBe('online');
    expect(await servedBy(id)).toBe('b');
    await eventually(
      async () => told.filter((word) => word.startsWith(`${id} `)),
      (words) => words.at(-1) === `${id} b` && words.length >= 3,
    );
  });

  it('stays with it when an older registration is reported late', async () => {
    const id = await device();
    await say('a', id, { ...ONLINE, heldMs: 0 });
    await say(
      'b',
      id,
      { ...ONLINE, heldMs: 1_000 },
      {
        centerAt: world.app.clock.now() - 60_000,
      },
    );
    expect(await servedBy(id)).toBe('a');
    await eventually(
      async () => told.filter((word) => word.startsWith(`${id} `)),
      (words) => words.length >= 3 && words.at(-1) === `${id} a` && !words.includes(`${id} b`),
    );
  });

  it('takes the change of its address along, whatever its former node knew, until its name is another', async () => {
    const id = await device();
    const from = (host: string, claim = '1') => ({ ...ONLINE, heldMs: 0, peer: { host, claim } });
    const heard = (host: string) =>
      eventually(
        async () => peers.get(id),
        (peer) => peer?.host === host,
      );
    await say('a', id, from('192.0.2.1'));
    expect(await heard('192.0.2.1')).toEqual({ host: '192.0.2.1', change: null });
    world.clock.shift(1_000);
    await say('b', id, from('192.0.2.2'));
    const { change } = (await heard('192.0.2.2')) ?? {};
    expect(change).toMatchObject({ from: '192.0.2.1', to: '192.0.2.2', id: expect.any(String) });
    // A restart of the node, and a move with the same address, leave it as it is.
    peers.clear();
    world.clock.shift(1_000);
    await say('a', id, from('192.0.2.2'));
    expect(await heard('192.0.2.2')).toEqual({ host: '192.0.2.2', change });
    // What the node saw itself is not said anew.
    const own = { id: 'own', from: '192.0.2.2', to: '192.0.2.3', at: 7 };
    await say('a', id, {
      ...from('192.0.2.3'),
      peer: { host: '192.0.2.3', claim: '1', change: own },
    });
    expect(await heard('192.0.2.3')).toEqual({ host: '192.0.2.3', change: own });
    world.clock.shift(1_000);
    await say('b', id, from('192.0.2.4', '2'));
    expect(await heard('192.0.2.4')).toEqual({ host: '192.0.2.4', change: null });
    // Its registration ended, so it has no address that another one could take over.
    await say('b', id, OFFLINE);
    world.clock.shift(1_000);
    await say('a', id, from('192.0.2.5', '2'));
    expect(await heard('192.0.2.5')).toEqual({ host: '192.0.2.5', change: null });
  });

  it('is offline when its own node says so', async () => {
    const id = await device();
    await say('a', id, { ...ONLINE, heldMs: 0 });
    await say('a', id, OFFLINE);
    expect(await status(id)).toBe('offline');
  });

  it('that any node could serve stays with the first until it is gone', async () => {
    const id = await device();
    await say('a', id, ONLINE);
    await say('b', id, ONLINE);
    expect(await servedBy(id)).toBe('a');
    await say('a', id, ONLINE, { leaving: true });
    await say('b', id, ONLINE);
    expect(await servedBy(id)).toBe('b');
    world.clock.shift(LEASE_MS + 1);
    await say('a', id, ONLINE);
    expect(await servedBy(id)).toBe('a');
  });

  it('whose node sends no heartbeat is offered to the other before its lease ends', async () => {
    const id = await device();
    await say('a', id, ONLINE);
    const before = told.length;
    world.clock.shift(32_000);
    await eventually(
      async () => told.slice(before),
      (words) => words.includes(`${id} `),
    );
    expect(await status(id)).toBe('online');
    await say('b', id, ONLINE);
    expect(await servedBy(id)).toBe('b');
  });

  it('that became free is told to the nodes when the bus takes it again', async () => {
    const id = await device();
    await say('a', id, ONLINE);
    const { bus } = world.app;
    const publish = bus.publish.bind(bus);
    let refused = 0;
    bus.publish = async (topic, payload, options) => {
      const isServing = 'kind' in payload && payload.kind === 'serving';
      if (!isServing) return publish(topic, payload, options);
      refused += 1;
      throw new Error('the broker is away');
    };
    const before = told.length;
    world.clock.shift(32_000);
    await eventually(
      async () => refused,
      (count) => count > 0,
    );
    bus.publish = publish;
    await eventually(
      async () => told.slice(before),
      (words) => words.includes(`${id} `),
    );
  });

  it('stays with its node while the platform hears none', async () => {
    const id = await device();
    await say('a', id, { ...ONLINE, claim: 'asks' });
    const silence = new Error('put back as it was');
    const lapsed: unknown[] = [];
    const later = world.clock.now() + 600_000;
    const run = acrossTenants(world.app.db, 'registrar', async (q) => {
      await q
        .updateTable('svc_listening')
        .set({ pausedTime: new Date(world.clock.now()) })
        .where('kind', '=', 'state')
        .execute();
      lapsed.push(...(await releaseLapsed(q, later)).filter(({ deviceId }) => deviceId === id));
      throw silence;
    });
    await expect(run).rejects.toBe(silence);
    expect(lapsed).toEqual([]);
    await say('b', id, ONLINE);
    expect(await servedBy(id)).toBe('a');
  });

  it('whose node is away gets no command: it fails with that reason', async () => {
    const id = await device();
    await say('away', id, { ...ONLINE, heldMs: 0 });
    const receipt = Receipt.parse(
      await world.admin.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
        commandId: await read(id),
      }),
    );
    expect(receipt).toMatchObject({ status: 'FAILED', errorCode: 'NODE_AWAY' });
    expect(receipt.errorMessage).toContain('nothing was sent to the device');
  });
});
