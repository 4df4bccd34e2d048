import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { freePort } from '../neighbours/free-port.ts';
import { login, type Session } from '../people/session.ts';
import { testEnvironment } from '../world/environment.ts';
import { eventually } from '../world/eventually.ts';
import { type Process, startProcess } from '../world/process.ts';

const START_MS = 90_000;

/** The platform as processes of its own, one with all services, or one for each service and two data centers. */
export type Fleet = {
  base: string;
  processes: ReadonlyMap<string, Process>;
  /** Where each process says whether it is ready. */
  doors: ReadonlyMap<string, string>;
  admin: Session;
  /** What ended by itself, with its last lines. */
  ended(): string[];
  stop(): Promise<void>;
};

const eight = {
  auth: { SVC_ROLES: 'auth' },
  manager: { SVC_ROLES: 'manager' },
  'data-1': { SVC_ROLES: 'data' },
  'data-2': { SVC_ROLES: 'data' },
  agentic: { SVC_ROLES: 'agentic' },
  gateway: { SVC_ROLES: 'gateway' },
  'driver-virtual': { SVC_ROLES: 'driver-virtual' },
  'driver-lwm2m': { SVC_ROLES: 'driver-lwm2m' },
};
const shapes: Record<'one' | 'eight', Record<string, Record<string, string>>> = {
  one: { all: {} },
  eight,
};

export async function startFleet(
  shape: keyof typeof shapes,
  given: Record<string, string>,
): Promise<Fleet> {
  const folder = await mkdtemp(join(tmpdir(), 'svc-fleet-'));
  const base = `http://127.0.0.1:${await freePort()}`;
  const environment: Record<string, string> = {
    ...testEnvironment,
    SVC_LOG_LEVEL: 'info',
    SVC_DEMO: 'on',
    SVC_BASE_URL: base,
    SVC_PORT: new URL(base).port,
    ...given,
  };
  for (const center of ['AUTH', 'MANAGER', 'DATA', 'AGENTIC']) {
    const port = String(await freePort());
    environment[`SVC_${center}_PORT`] = port;
    environment[`SVC_${center}_URL`] = `http://127.0.0.1:${port}`;
  }
  const processes = new Map<string, Process>();
  const gone = new Set<string>();
  let stopping = false;
  const start = async (name: string, own: Record<string, string>): Promise<void> => {
    const places = {
      SVC_DATA_DIR: join(folder, name),
      ...(shape === 'eight' ? { SVC_NODE: name } : {}),
      ...(name === 'data-2' ? { SVC_DATA_PORT: '0' } : {}),
    };
    const started = startProcess(['src/main.ts', 'serve'], { ...environment, ...places, ...own });
    processes.set(name, started);
    void started.exited.then(() => stopping || gone.add(name));
    await started.line(name.startsWith('driver-') ? /^ {2}Node / : /^ {2}Database /, START_MS);
  };
  const stop = async (): Promise<void> => {
    stopping = true;
    await Promise.all([...processes.values()].map((own) => own.kill()));
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await Promise.all(Object.entries(shapes[shape]).map(([name, own]) => start(name, own)));
    const doors = new Map<string, string>();
    for (const [name, { output }] of processes) {
      const line = output.find((text) =>
        (name.startsWith('driver-') ? /^ {2}Health / : /for the gateway, not the public/).test(
          text,
        ),
      );
      doors.set(name, new URL(/http:\S+/.exec(line ?? '')?.[0] ?? base).origin);
    }
    for (const door of doors.values())
      await eventually(
        () => fetch(`${door}/readyz`).then(({ status }) => status),
        (status) => status === 200,
        START_MS,
      );
    const admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
    return {
      base,
      processes,
      doors,
      admin,
      ended: () =>
        [...gone].map((name) => `${name}: ${processes.get(name)?.output.slice(-3).join(' | ')}`),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
