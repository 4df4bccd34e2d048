import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

import { z } from 'zod';

import { freeUdpPort } from '../neighbours/free-port.ts';
import { login, type Session } from '../people/session.ts';
import { testEnvironment } from '../world/environment.ts';
import { eventually } from '../world/eventually.ts';
import { type Server, startServer } from '../world/server.ts';
import { confirmSeen } from './confirm-seen.ts';

export const writePoints = [
  'after-confirm',
  'before-publish',
  'after-publish',
  'before-device',
  'after-device',
  // Between two writes of one proposal: before the second is claimed, and after that committed.
  'after-step',
  'before-next-step',
] as const;
export type WritePoint = (typeof writePoints)[number];

/** What became of one write that a crash interrupted. */
export type Round = {
  point: string;
  status: string;
  executions: number;
  secondsToTerminal: number;
};

const Receipt = z.object({ status: z.string(), responseValue: z.string().nullable() });
const Action = z.object({ status: z.string(), commandId: z.string().nullish() });
/** The simulated device: how often it was told `value`. */
type Device = { count(value: string): number; stop(): void };

const OPEN = ['PENDING', 'SENT'];

/** A platform that is killed and started again, and a simulated device that lives on beside it. */
export class CrashBench {
  readonly #environment: Record<string, string>;
  readonly #device: Device;
  #server: Server | null = null;
  #credentials = { id: '', secret: '' };
  #ids = { device: '', setPoint: '', temperature: '' };
  /** A point of another device, which this platform drives itself. */
  #other = { deviceId: '', pointId: '' };

  private constructor(environment: Record<string, string>, device: Device) {
    this.#environment = environment;
    this.#device = device;
  }

  /** `environment` names the database; the demo data is put into it. */
  static async open(environment: Record<string, string>): Promise<CrashBench> {
    const port = await freeUdpPort();
    // Its log is kept, not shown: without it a failure that comes once in a hundred stays a riddle.
    const log = { SVC_LOG_LEVEL: 'warn' };
    const whole = { ...testEnvironment, ...log, ...environment, LWM2M_PORT: String(port) };
    const bench = new CrashBench(whole, startDevice(port));
    try {
      const server = await startServer({ ...whole, SVC_DEMO: 'on', LWM2M_PORT: '0' });
      await bench.#prepare(await bench.#login(server));
      await server.stop();
    } catch (error) {
      await bench.close();
      throw error;
    }
    return bench;
  }

  async close(): Promise<void> {
    this.#device.stop();
    await this.#server?.kill();
  }

  /** One write killed at `point`, then a restart; the restarted platform is armed for `next`. */
  async write(point: WritePoint, value: string): Promise<Round> {
    const server = await this.#start(point);
    const admin = await this.#login(server);
    await this.#online(admin);
    const actionId = await this.#propose(server, point, value);
    // The write before this one may be unknown, and the device's reading may come in between.
    const answer = await confirmSeen(admin, actionId, 1).catch(String);
    await killed(server, point, answer);

    const restarted = await this.#start(null);
    const startedAt = Date.now();
    const again = await this.#login(restarted);
    const { commandId } = await eventually(
      async () =>
        Action.parse(
          await again.data('/api/v3/agentic/action/get', undefined, { action_id: actionId }),
        ),
      ({ status }) => status !== 'CONFIRMED',
      30_000,
    );
    if (!commandId) throw new Error(`the action confirmed before ${point} has no command`);
    const { status } = await eventually(
      () => receiptOf(again, commandId),
      (receipt) => !OPEN.includes(receipt.status),
      30_000,
    );
    const secondsToTerminal = (Date.now() - startedAt) / 1000;
    await this.#stop();
    return { point, status, executions: this.#device.count(value), secondsToTerminal };
  }

  /** Reads until the `nth` batch kills the platform; how many acknowledged values history then lacks. */
  async ingest(nth: number): Promise<{ acknowledged: number; lost: number; unexpected: number }> {
    const server = await this.#start(`ingest:${nth}`);
    const admin = await this.#login(server);
    await this.#online(admin);
    const acknowledged: string[] = [];
    const deviceId = this.#ids.device;
    const pointId = this.#ids.temperature;
    try {
      for (let n = 0; n < nth * 20; n += 1) {
        const commandId = String(
          await admin.data('/api/v3/data/point_command/read', { deviceId, pointId }),
        );
        const receipt = await eventually(
          () => receiptOf(admin, commandId),
          ({ status }) => !OPEN.includes(status),
        );
        if (receipt.status === 'SUCCESS') acknowledged.push(String(receipt.responseValue));
      }
    } catch {
      // The connection ends with the process.
    }
    await killed(server, 'ingest');
    const again = await this.#login(await this.#start(null));
    const History = z.array(z.object({ calValue: z.string() }));
    const rows = History.parse(
      await again.data(
        '/api/v3/data/point_value/list_history_by_device_id_and_point_id',
        undefined,
        {
          device_id: deviceId,
          point_id: pointId,
          count: '500',
        },
      ),
    );
    await this.#stop();
    const stored = rows.map(({ calValue }) => calValue);
    const lost = acknowledged.filter((value) => !stored.includes(value)).length;
    return {
      acknowledged: acknowledged.length,
      lost,
      unexpected: stored.filter((value) => !Number.isFinite(Number(value))).length,
    };
  }

  async #start(crashAt: string | null): Promise<Server> {
    // What a round that failed left behind.
    await this.#server?.kill();
    this.#server = await startServer({
      ...this.#environment,
      SVC_DEMO: 'off',
      ...(crashAt ? { SVC_CRASH_AT: crashAt } : {}),
    });
    return this.#server;
  }

  async #stop(): Promise<void> {
    await this.#server?.stop();
    this.#server = null;
  }

  #login(server: Server): Promise<Session> {
    return login(server.base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  }

  async #prepare(admin: Session): Promise<void> {
    const { device, named } = await this.#deviceOf(admin, 'dev-1');
    this.#ids = { device, setPoint: named('set-point'), temperature: named('temperature') };
    const other = await this.#deviceOf(admin, 'virtual-1');
    this.#other = { deviceId: other.device, pointId: other.named('target') };
    const account = await admin.data('/api/v3/auth/service_account/add', {
      serviceAccountName: `agent-${process.pid}`,
    });
    const { principalId } = z.object({ principalId: z.string() }).parse(
      await admin.data('/api/v3/auth/service_account/get_by_id', undefined, {
        id: String(account),
      }),
    );
    const client = await admin.data('/api/v3/auth/mcp/client/register', {
      client_name: 'agent',
      grant_types: ['client_credentials'],
      scope: 'svc:read svc:propose',
      service_account_principal_id: principalId,
    });
    const { client_id: id, client_secret: secret } = z
      .object({ client_id: z.string(), client_secret: z.string() })
      .parse(client);
    this.#credentials = { id, secret };
  }

  async #deviceOf(admin: Session, deviceName: string) {
    const Page = z.object({ records: z.array(z.object({ id: z.string() })) });
    const found = Page.parse(await admin.data('/api/v3/manager/device/list', { deviceName }));
    const device = found.records[0]?.id ?? '';
    const points = z.array(z.object({ id: z.string(), pointName: z.string() })).parse(
      await admin.data('/api/v3/manager/point/list_by_device_id', undefined, {
        device_id: device,
      }),
    );
    const named = (name: string): string =>
      points.find(({ pointName }) => pointName === name)?.id ?? '';
    return { device, named };
  }

  /** The device registers again by itself once the platform is back. */
  async #online(admin: Session): Promise<void> {
    // By its status, not by a command: a command could come to the armed point itself.
    await eventually(
      () => admin.data('/api/v3/data/device/status/list', { deviceName: 'dev-1' }),
      (answer) => JSON.stringify(answer).includes('"online"'),
      60_000,
    );
  }

  async #propose(server: Server, point: WritePoint, value: string): Promise<string> {
    const { id, secret } = this.#credentials;
    const granted = await fetch(`${server.base}/oauth2/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials' }),
    });
    const { access_token: token } = z
      .object({ access_token: z.string() })
      .parse(await granted.json());
    const answer = await fetch(`${server.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: this.#proposal(point, value),
      }),
    });
    const text = await answer.text();
    const actionId = /"actionId\\?":\\?"([0-9a-f-]{36})/.exec(text)?.[1];
    if (!actionId) throw new Error(`the agent could not propose: ${text}`);
    return actionId;
  }

  /** The write to the simulated device; at the points between two writes it is the second. */
  #proposal(point: WritePoint, value: string) {
    const write = { deviceId: this.#ids.device, pointId: this.#ids.setPoint, value };
    if (point !== 'after-step' && point !== 'before-next-step')
      return { name: 'writePointValue', arguments: write };
    const writes = [{ ...this.#other, value }, write];
    return { name: 'proposeWrites', arguments: { writes } };
  }
}

async function receiptOf(session: Session, commandId: string): Promise<z.infer<typeof Receipt>> {
  return Receipt.parse(
    await session.data('/api/v3/data/point_command_history/get_by_command_id', undefined, {
      commandId,
    }),
  );
}

async function killed(server: Server, point: string, answer?: unknown): Promise<void> {
  const late = setTimeout(() => void server.stop(), 30_000);
  const { signal } = await server.exited;
  clearTimeout(late);
  if (signal !== 'SIGKILL')
    throw new Error(
      `not killed at ${point}: ${JSON.stringify(answer)}\n${server.output.join('\n')}`,
    );
}

/** The simulated device as a process that outlives the platform; counts what it really did. */
function startDevice(port: number): Device {
  const child = spawn(
    process.execPath,
    [
      'driver/simulator/main.ts',
      '--endpoint',
      'dev-1',
      '--server',
      `127.0.0.1:${port}`,
      '--lifetime',
      '60',
      '--json',
    ],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const Event = z.looseObject({ event: z.string(), value: z.number().optional() });
  const written: (number | undefined)[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => {
    const event = Event.parse(JSON.parse(line));
    if (event.event === 'set-point') written.push(event.value);
  });
  return {
    count: (value) => written.filter((one) => one === Number(value)).length,
    stop: () => void child.kill('SIGKILL'),
  };
}

/** What a round must not show; empty when all is well. */
export function judge({ status, executions, secondsToTerminal }: Round): string[] {
  const wrong: string[] = [];
  if (executions > 1) wrong.push(`executed ${executions} times`);
  if (status === 'SUCCESS' && executions !== 1) wrong.push('a success nobody executed');
  if (secondsToTerminal > 15) wrong.push(`ended after ${secondsToTerminal} s`);
  if (['EXPIRED', 'FAILED'].includes(status) && executions !== 0)
    wrong.push(`${status}, yet executed`);
  return wrong;
}
