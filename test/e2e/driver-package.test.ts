import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { readSettings } from '../../src/start/settings.ts';
import { add, pointAttributes } from '../support/devices/plant.ts';
import { Attributes, Records } from '../support/people/shapes.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { fresh } from '../support/world/fresh-name.ts';

const MANAGER = '/api/v3/manager';
const DATA = '/api/v3/data';
const LIMIT_MS = 240_000;
const Receipt = z.looseObject({
  status: z.string(),
  verification: z.string(),
  errorCode: z.string(),
  readBackValue: z.string().nullable(),
});

const Manifest = z.looseObject({ 'svc-driver-check': z.unknown() });

/** The files of the package, as docs/driver-package.md shows them. */
const files = (): Map<string, string> => {
  const text = readFileSync('docs/driver-package.md', 'utf8');
  const blocks = text.matchAll(/^File `([^`]+)`:\n\n```\w+\n([\s\S]*?)^```$/gm);
  return new Map([...blocks].map(([, name = '', content = '']) => [name, content]));
};

/** A device that speaks Modbus TCP: ten holding registers. */
async function openSlave(port = 0) {
  const registers = [0, 215, 20, 0, 0, 0, 0, 0, 0, 0];
  const sockets = new Set<Socket>();
  const state = { registers, writes: 0 };
  const answerTo = (pdu: Buffer): Buffer => {
    const [code = 0] = pdu;
    const at = pdu.readUInt16BE(1);
    if (at >= registers.length) return Buffer.from([code | 0x80, 2]);
    if (code === 3)
      return Buffer.from([3, 2, (registers[at] ?? 0) >> 8, (registers[at] ?? 0) & 255]);
    if (code !== 6) return Buffer.from([code | 0x80, 1]);
    registers[at] = pdu.readUInt16BE(3);
    state.writes += 1;
    return pdu;
  };
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      for (let from = 0; from + 7 < bytes.length; from += 6 + bytes.readUInt16BE(from + 4)) {
        const answer = answerTo(bytes.subarray(from + 7, from + 6 + bytes.readUInt16BE(from + 4)));
        const head = Buffer.from(bytes.subarray(from, from + 7));
        head.writeUInt16BE(answer.length + 1, 4);
        socket.write(Buffer.concat([head, answer]));
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const address = server.address();
  return {
    state,
    port: typeof address === 'object' && address ? address.port : 0,
    close: () =>
      new Promise<void>((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}

/** Beside the device, which answers meanwhile. */
async function run(command: string, args: readonly string[], cwd: string) {
  const child = spawn(command, args, { cwd });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  const [status]: unknown[] = await once(child, 'close');
  return { status, output };
}

describe('a driver in a package outside of the repository, as docs/driver-package.md makes it', () => {
  let root: string;
  let place: string;
  let slave: Awaited<ReturnType<typeof openSlave>>;
  let world: World | undefined;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'svc-driver-'));
    place = join(root, 'driver-modbus');
    slave = await openSlave();
    await mkdir(place);
    for (const [name, content] of files())
      await writeFile(join(place, name), content.replace('"5020"', `"${slave.port}"`));
    const packed = await run('npm', ['run', '-s', 'pack:sdk', '--', root], '.');
    const tarball = packed.output.trim();
    expect(packed.status, packed.output).toBe(0);
    const quiet = ['--offline', '--no-audit', '--no-fund', '--ignore-scripts'];
    const sdk = await run('npm', ['install', ...quiet, tarball], place);
    expect(sdk.status, sdk.output).toBe(0);
    const drivers = join(root, 'drivers');
    await mkdir(drivers);
    const own = await run('npm', ['install', ...quiet, place], drivers);
    expect(own.status, own.output).toBe(0);
  }, LIMIT_MS);
  afterAll(async () => {
    await world?.stop();
    await slave.close();
    await rm(root, { recursive: true, force: true });
  });

  it('has types', async () => {
    const index = join(place, 'typed.ts');
    await writeFile(
      index,
      `import { type Driver, refused } from '@device-data-platform/driver-sdk';
export const read: Driver['read'] = async (device, point) => {
  if (point.type !== 'INT') throw refused(device.name);
  return { rawValue: '1', originTime: 1 };
};
export const wrong: Driver['read'] = async () => 1;
`,
    );
    const options = [
      '--noEmit',
      '--strict',
      '--module',
      'nodenext',
      '--skipLibCheck',
      '--ignoreConfig',
    ];
    const typed = await run(
      join(process.cwd(), 'node_modules/.bin/tsc'),
      [...options, index],
      place,
    );
    expect(typed.output).toMatch(/^typed\.ts\(6,\d+\): error TS\d+: [^\n]*\n[^\n]*\n?/);
    expect(typed.output.match(/error TS/g)).toHaveLength(1);
  });

  it('passes the check of the contract, and does not where its device lies', async () => {
    const check = join(place, 'node_modules/.bin/svc-driver-check');
    const { output, status } = await run(check, [], place);
    expect(output.split('\n').filter((line) => line.startsWith('FAILED'))).toEqual([]);
    expect([status, output.match(/^ok {2}/gm)?.length]).toEqual([0, 10]);
    const manifest = Manifest.parse(JSON.parse(readFileSync(join(place, 'package.json'), 'utf8')));
    const lying = JSON.stringify(manifest['svc-driver-check']).replace('"2"', '"9999"');
    await writeFile(join(place, 'lying.json'), lying);
    const failed = await run(check, ['--device', join(place, 'lying.json')], place);
    expect(failed.status).toBe(1);
    expect(failed.output).toContain('FAILED  reads each point: setPoint: FAILED DEVICE_REFUSED');
  });

  it('is loaded by name, and reads and writes its device through the platform', async () => {
    const environment = {
      SVC_DRIVERS: '@acme/driver-modbus',
      SVC_DRIVERS_DIR: join(root, 'drivers'),
    };
    world = await startWorld({ environment });
    const { admin } = world;
    const list = () => admin.data(`${MANAGER}/driver/list`, { driverCode: 'AcmeModbusDriver' });
    const found = await eventually(list, (page) => Records.parse(page).records.length > 0);
    const driverId = Records.parse(found).records[0]?.id ?? '';
    const profileId = await add(admin, 'profile', { profileName: fresh('meter') });
    const point = { pointTypeFlag: 'INT', profileId };
    const setPoint = await add(admin, 'point', {
      ...point,
      pointName: 'set',
      rwFlag: 'READ_WRITE',
    });
    const nowhere = await add(admin, 'point', {
      ...point,
      pointName: 'no',
      rwFlag: 'READ_WRITE',
    });
    const deviceId = await add(admin, 'device', {
      deviceName: fresh('meter'),
      driverId,
      profileId,
    });
    const attributeId = (await pointAttributes(admin, driverId)).get('register');
    for (const [pointId, configValue] of [
      [setPoint, '2'],
      [nowhere, '9999'],
    ])
      await add(admin, 'point_attribute_config', { deviceId, pointId, attributeId, configValue });
    const outside = { deviceId, pointId: setPoint, attributeId, configValue: '65536' };
    const refused = await admin.post(`${MANAGER}/point_attribute_config/add`, outside);
    expect([refused.status, refused.body.message]).toEqual([
      422,
      'The value of register must be 0 to 65535: the driver takes no other',
    ]);
    const rows = await admin.data(`${MANAGER}/driver_attribute/list_by_driver_id`, undefined, {
      driver_id: driverId,
    });
    const ofDevice = new Map(Attributes.parse(rows).map((row) => [row.attributeCode, row.id]));
    for (const [code, configValue] of [
      ['host', '127.0.0.1'],
      ['port', String(slave.port)],
    ] as const)
      await add(admin, 'driver_attribute_config', {
        deviceId,
        attributeId: ofDevice.get(code),
        configValue,
      });
    const receiptOf = async (commandId: unknown) =>
      Receipt.parse(
        await admin.data(`${DATA}/point_command_history/get_by_command_id`, undefined, {
          command_id: String(commandId),
        }),
      );
    const write = async (pointId: string, value: string) => {
      const id = await admin.data(`${DATA}/point_command/write`, { deviceId, pointId, value });
      return eventually(
        () => receiptOf(id),
        ({ status }) => !['PENDING', 'SENT'].includes(status),
      );
    };
    // Until the driver has its settings and its connection.
    const first = await eventually(
      () => write(setPoint, '24'),
      ({ status }) => status === 'SUCCESS',
    );
    expect(first).toMatchObject({ verification: 'VERIFIED', readBackValue: '24' });
    expect(slave.state.registers[2]).toBe(24);
    expect(await write(nowhere, '1')).toMatchObject({
      status: 'FAILED',
      errorCode: 'DEVICE_REFUSED',
    });
    await slave.close();
    expect(
      await eventually(
        () => write(setPoint, '25'),
        ({ errorCode }) => errorCode === 'DEVICE_OFFLINE',
      ),
    ).toMatchObject({ status: 'FAILED' });
    const { port } = slave;
    slave = await openSlave(port);
    const again = await eventually(
      () => write(setPoint, '26'),
      ({ status }) => status === 'SUCCESS',
    );
    expect(again).toMatchObject({ verification: 'VERIFIED', readBackValue: '26' });
  });

  it('is refused by name where it is not there, or is none', async () => {
    const { loadPackage } = await import('../../driver/package/load.ts');
    await expect(loadPackage('@acme/none', root)).rejects.toThrow(
      /^SVC_DRIVERS: @acme\/none cannot be loaded: Cannot find module/,
    );
    const none = join(root, 'drivers/node_modules/no-driver');
    await mkdir(none);
    await writeFile(join(none, 'package.json'), '{"type":"module","exports":"./index.js"}');
    await writeFile(join(none, 'index.js'), 'export const createDriver = () => ({ code: "X" });');
    const create = await loadPackage('no-driver', join(root, 'drivers'));
    expect(() => Reflect.apply(create, null, [{}])).toThrow(
      /^SVC_DRIVERS: no-driver makes no driver: name: /,
    );
    expect(() => readSettings({ SVC_DRIVERS: '../evil' })).toThrow(
      /SVC_DRIVERS: must be names of packages/,
    );
  });
});
