import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { freePort } from '../support/neighbours/free-port.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { type Process, startProcess } from '../support/world/process.ts';

/** The moments a supervisor picks to stop what it has just started. */
describe('a platform that is stopped at once', () => {
  let data: FreshDatabase;
  let server: Process;
  let base: string;
  const start = (): Process =>
    startProcess(['src/main.ts', 'serve'], {
      ...testEnvironment,
      ...data.environment,
      SVC_PORT: new URL(base).port,
      SVC_LOG_LEVEL: 'warn',
      SVC_DEMO: 'on',
    });
  beforeEach(async () => {
    data = await freshDatabase();
    base = `http://127.0.0.1:${await freePort()}`;
    server = start();
  });
  afterEach(async () => {
    await server.kill();
    await data.remove();
  });

  /** The status of `/readyz`, null while nobody listens. */
  const ready = (): Promise<number | null> =>
    fetch(`${base}/readyz`).then(
      ({ status }) => status,
      () => null,
    );
  const until = async (accept: (status: number | null) => boolean): Promise<number | null> => {
    for (let round = 0; round < 3_000; round += 1) {
      const status = await ready();
      if (accept(status)) return status;
      await sleep(10);
    }
    throw new Error(server.output.join('\n'));
  };
  const warnings = (): string[] => server.output.filter((line) => /"level":(40|50|60)/.test(line));

  it.each<[string, () => Promise<unknown>]>([
    ['when it first answers', () => until((status) => status !== null)],
    ['when it is ready', () => until((status) => status === 200)],
    ['when it says so', () => server.line(/^ {2}Database /)],
  ])('%s ends with 0 and nothing to complain about', async (_when, moment) => {
    await moment();
    const code = await server.stop();
    expect({ code, warnings: warnings() }).toEqual({ code: 0, warnings: [] });
  });

  it('completes at the next start what a kill left half onboarded', async () => {
    await until((status) => status !== null);
    await server.kill();
    server = start();
    await server.line(/dev-1 registered/);
    await server.line(/^ {2}Demo /);
  });

  it('is ready only when its drivers are registered', async () => {
    const answer = await until((status) => status === 200).then(() => fetch(`${base}/readyz`));
    expect(await answer.json()).toMatchObject({ status: 'ready', waitingFor: [] });
  });
});
