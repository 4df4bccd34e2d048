import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort, freeUdpPort } from '../support/neighbours/free-port.ts';
import { login, type Session } from '../support/people/session.ts';
import { mainThread } from '../support/runs/main-thread.ts';
import { freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { prepared } from '../support/world/prepared.ts';
import { type Process, startProcess } from '../support/world/process.ts';

const centers = ['auth', 'manager', 'data', 'agentic', 'gateway'] as const;
/** Two copies of each driver; the device knows copy a. */
const copies = [
  'driver-lwm2m a',
  'driver-lwm2m b',
  'driver-virtual a',
  'driver-virtual b',
] as const;
const services = [...centers, ...copies];
type Service = (typeof services)[number];

/**
 * docs/specification/service.md, Components: gateway, four centers and drivers, each a process, on PostgreSQL
 * and RabbitMQ.
 */
describe('the main thread over six processes', () => {
  let base: string;
  let environment: Record<string, string>;
  const running = new Map<string, Process>();
  const lwm2mPorts = new Map<Service, string>();
  let admin: Session;

  const of = (name: Service | 'dev-1'): Process => {
    const own = running.get(name);
    if (!own) throw new Error(`${name} does not run`);
    return own;
  };
  const start = async (service: Service): Promise<void> => {
    const [name = '', node] = service.split(' ');
    const itsOwn = node && {
      SVC_NODE: node,
      SVC_DATA_DIR: `${environment['SVC_DATA_DIR']}/${name}-${node}`,
      LWM2M_PORT: lwm2mPorts.get(service) ?? '0',
    };
    const own = startProcess(['src/main.ts', 'serve'], {
      ...environment,
      SVC_ROLES: name,
      ...itsOwn,
    });
    running.set(service, own);
    await own.line(node ? /^ {2}Node / : /^ {2}Database /);
  };

  const data = prepared(() => freshDatabase('empty'));
  beforeAll(async () => {
    base = `http://127.0.0.1:${await freePort()}`;
    const ports = [await freePort(), await freePort(), await freePort(), await freePort()] as const;
    environment = {
      ...testEnvironment,
      ...data.environment,
      SVC_LOG_LEVEL: 'info',
      SVC_DEMO: 'on',
      SVC_BASE_URL: base,
      SVC_PORT: new URL(base).port,
    };
    for (const service of ['driver-lwm2m a', 'driver-lwm2m b'] as const)
      lwm2mPorts.set(service, String(await freeUdpPort()));
    for (const [i, center] of ['AUTH', 'MANAGER', 'DATA', 'AGENTIC'].entries()) {
      environment[`SVC_${center}_PORT`] = String(ports[i]);
      environment[`SVC_${center}_URL`] = `http://127.0.0.1:${ports[i]}`;
    }
    // All at once, in no order: each waits for what it needs, and one of them makes the tables.
    await Promise.all(services.map(start));
    const demo = startProcess(['src/main.ts', 'demo', 'dev-1'], environment);
    expect(await demo.exited, demo.output.join('\n')).toEqual({ code: 0, signal: null });
    const server = `127.0.0.1:${lwm2mPorts.get('driver-lwm2m a')}`;
    const words = ['--endpoint', 'dev-1', '--server', server, '--with-parent'];
    running.set('dev-1', startProcess(['driver/simulator/main.ts', ...words]));
    admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  });
  afterAll(async () => {
    for (const own of running.values()) await own.kill();
    await data.remove();
  });

  it('are told apart by what they print', () => {
    const printed = (service: Service): string => of(service).output.join('\n');
    expect(printed('gateway')).toContain(`${base}/mcp`);
    expect(printed('data')).toContain(environment['SVC_DATA_URL'] ?? 'no address');
    expect(printed('auth')).toMatch(/Login {5}admin/);
    for (const service of copies) expect(printed(service)).not.toMatch(/Database|Login/);
  });

  const walked = mainThread(() => ({
    base,
    admin,
    deviceLine: (pattern) => of('dev-1').line(pattern),
  }));

  it.each(['manager', 'data', ...copies] as const)(
    'goes on after %s was killed and started again',
    async (service) => {
      await of(service).kill();
      if (service === 'manager') {
        const answer = await admin.post('/api/v3/manager/device/list', {});
        expect([answer.status, answer.body.code]).toEqual([503, 'R503']);
      }
      await start(service);
      expect(await walked.readTemperature()).toMatchObject({ status: 'SUCCESS' });
    },
  );

  it.each(services)('is ready, says the health check of the image: %s', async (service) => {
    const [name = ''] = service.split(' ');
    const [, port] = /Health .*:(\d+)\/readyz/.exec(of(service).output.join('\n')) ?? [];
    const its = port === undefined ? {} : { SVC_DRIVER_PORT: port };
    const check = startProcess(['src/cli/health.ts'], { ...environment, SVC_ROLES: name, ...its });
    expect([(await check.exited).code, check.output]).toEqual([0, ['ready']]);
  });

  it('stops each process cleanly, without an error line', async () => {
    for (const [name, own] of running) {
      const before = own.output.length;
      expect(await own.stop(), name).toBe(0);
      expect(
        own.output.slice(before).filter((line) => /"level":(50|60)/.test(line)),
        name,
      ).toEqual([]);
    }
  });

  it('keeps everything in the database: another gateway shows it', async () => {
    await Promise.all((['auth', 'data', 'gateway'] as const).map(start));
    admin = await login(base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
    expect(await walked.writeReceipt()).toMatchObject({
      status: 'SUCCESS',
      verification: 'VERIFIED',
      responseValue: '21',
    });
  });
});
