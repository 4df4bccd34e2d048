import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { login } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';
import { type Process, startProcess } from '../support/world/process.ts';
import { startServer } from '../support/world/server.ts';

const MAIN = 'driver/simulator/fleet/main.ts';
const WAIT_MS = 120_000;
const LIMIT_MS = 300_000;

const Line = z.looseObject({
  event: z.string(),
  registered: z.number().optional(),
  registrations: z.number().default(0),
  refused: z.number().default(0),
  lost: z.number().default(0),
  lies: z.number().default(0),
  reboots: z.number().default(0),
  reads: z.number().default(0),
  added: z.number().optional(),
  present: z.number().optional(),
});
const Receipt = z.looseObject({ status: z.string(), verification: z.string() });
const Values = z.object({
  records: z.array(z.looseObject({ pointName: z.string(), hasLatestValue: z.boolean() })),
});

let clear: Process;
let secure: Process;
const running: Process[] = [];

const linesOf = ({ output }: Process) =>
  output.filter((text) => text.startsWith('{')).map((text) => Line.parse(JSON.parse(text)));
const lastOf = (own: Process) => linesOf(own).at(-1);

function start(port: string | undefined, ...words: string[]): Process {
  const where = ['--server', `127.0.0.1:${port}`, '--platform', server.base];
  const password = { SVC_ADMIN_PASSWORD: testEnvironment.SVC_ADMIN_PASSWORD };
  const own = startProcess([MAIN, ...where, '--seed', '7', '--json', ...words], password);
  running.push(own);
  return own;
}

const data = prepared(() => freshDatabase('empty'));
const server = prepared(() =>
  startServer({
    ...testEnvironment,
    ...data.environment,
    SVC_DEMO: 'off',
    SVC_DRIVER_READ_CRON: '0/5 * * * * ?',
  }),
);
const admin = prepared(() =>
  login(server.base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD),
);
beforeAll(async () => {
  const [, port] = /coap:\/\/\S+?:(\d+)/.exec(await server.line(/coap:\/\//)) ?? [];
  const [, securePort] = /coaps:\/\/\S+?:(\d+)/.exec(await server.line(/coaps:\/\//)) ?? [];
  const rough = ['--onboard', '--loss', '0.05', '--lifetime', '20', '--turn', '5'];
  clear = start(port, ...rough, '--count', '20', '--faults', 'lie-ack:1,reboot:0.02');
  // The profile is there when the second fleet looks for it.
  await clear.line(/"onboarded"/);
  secure = start(securePort, ...rough, '--count', '5', '--first', '21', '--psk');
});
afterAll(async () => {
  for (const own of running) await own.kill();
  await server?.kill();
  await data?.remove();
});

async function devicesFrom(first: number, last: number): Promise<Map<string, string>> {
  const page = { size: 100 };
  const { records } = Records.parse(await admin.data('/api/v3/manager/device/list', { page }));
  const ids = new Map(records.map((row) => [String(row['deviceName']), row.id]));
  return new Map(
    [...ids].filter(([name]) => {
      const number = Number(name.slice(4));
      return number >= first && number <= last;
    }),
  );
}

const latestOf = async (deviceId: string) =>
  Values.parse(await admin.data('/api/v3/data/point_value/latest', { deviceId })).records;

/** What became of a write of this value to each device, until one was acknowledged. */
async function written(devices: Iterable<string>, value: number): Promise<string[]> {
  const ends: string[] = [];
  for (const deviceId of devices) {
    const [point] = (await latestOf(deviceId)).filter(({ pointName }) => pointName === 'set-point');
    const body = { deviceId, pointId: point?.['pointId'], value };
    const id = await admin.data('/api/v3/data/point_command/write', body);
    const query = { command_id: String(id) };
    const path = '/api/v3/data/point_command_history/get_by_command_id';
    const { status, verification } = await eventually(
      async () => Receipt.parse(await admin.data(path, undefined, query)),
      (receipt) => !['PENDING', 'SENT'].includes(receipt.status),
      WAIT_MS,
    );
    ends.push(verification);
    if (status === 'SUCCESS' && verification !== 'UNVERIFIED') break;
  }
  return ends;
}

describe('npm run devices', { timeout: LIMIT_MS }, () => {
  it('adds its devices, and registers every one over a network that loses datagrams', async () => {
    await eventually(
      async () => [lastOf(clear), lastOf(secure)],
      ([one, other]) => (one?.registrations ?? 0) >= 20 && other?.registered === 5,
      WAIT_MS,
    );
    expect(linesOf(clear)[0]).toMatchObject({ event: 'onboarded', added: 20, present: 0 });
    expect(linesOf(secure)[0]).toMatchObject({ event: 'onboarded', added: 5, present: 0 });
    expect(await devicesFrom(1, 25)).toHaveProperty('size', 25);
  });

  it('answers reads of every device, in clear and with a key', async () => {
    for (const [name, id] of await devicesFrom(1, 25)) {
      const values = await eventually(
        () => latestOf(id),
        (all) => all.length === 2 && all.every(({ hasLatestValue }) => hasLatestValue),
        WAIT_MS,
      );
      expect(values.map(({ pointName }) => pointName).toSorted(), name).toEqual([
        'set-point',
        'temperature',
      ]);
    }
  });

  it('lies about a write, which is never verified, and else does what is written', async () => {
    const lies = await written((await devicesFrom(1, 20)).values(), 30);
    expect(lies).toContain('MISMATCH');
    expect(lies).not.toContain('VERIFIED');
    const honest = await written((await devicesFrom(21, 25)).values(), 30);
    expect(honest).toContain('VERIFIED');
    expect(honest).not.toContain('MISMATCH');
  });

  it('reboots devices, which register again', async () => {
    const { registrations, lost } = await eventually(
      async () => lastOf(clear),
      (line) => (line?.reboots ?? 0) > 0 && (line?.registrations ?? 0) > 20,
      WAIT_MS,
    ).then((line) => Line.parse(line));
    expect(registrations).toBeGreaterThan(20);
    expect(lost).toBeGreaterThan(0);
  });

  it('finds its devices again, and ends by itself', async () => {
    const again = start('9', '--count', '20', '--onboard', '--for', '1');
    expect(await again.exited).toEqual({ code: 0, signal: null });
    expect(linesOf(again)[0]).toMatchObject({ event: 'onboarded', added: 0, present: 20 });
    expect(lastOf(again)).toMatchObject({ event: 'ended', registered: 0 });
  });

  it('ends clean at a signal, with its devices de-registered', async () => {
    for (const own of [clear, secure]) {
      expect(await own.stop()).toBe(0);
      expect(lastOf(own)).toMatchObject({ event: 'ended', registered: 0 });
      expect(lastOf(own)?.['deregistered']).toBeGreaterThan(0);
      expect(own.output.filter((text) => !text.startsWith('{'))).toEqual([]);
    }
    expect(server.output.filter((text) => /uncaught|"level":[56]0/.test(text))).toEqual([]);
  });
});
