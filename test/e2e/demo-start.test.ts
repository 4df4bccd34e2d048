import { afterEach, beforeEach, expect, it } from 'vitest';
import { z } from 'zod';

import { login } from '../support/people/session.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { type Server, startServer } from '../support/world/server.ts';

const Total = z.object({ total: z.coerce.number() });

let data: FreshDatabase;
let server: Server | null = null;
beforeEach(async () => {
  data = await freshDatabase('empty');
});
afterEach(async () => {
  await server?.kill();
  await data.remove();
});

/** How much of each there is after a start on what the start before has left. */
async function afterStart(demo: 'on' | 'off') {
  server = await startServer({ ...testEnvironment, ...data.environment, SVC_DEMO: demo });
  if (demo === 'on') await server.line(/dev-1 registered/);
  const admin = await login(server.base, 'default', 'admin', testEnvironment.SVC_ADMIN_PASSWORD);
  const total = async (path: string): Promise<number> =>
    Total.parse(await admin.data(`/api/v3${path}`, {})).total;
  const found = {
    devices: await total('/manager/device/list'),
    labels: await total('/manager/label/list'),
    alarms: await total('/data/dashboard/alert/page'),
    accounts: await total('/auth/service_account/list'),
    sessions: await total('/agentic/session/list'),
  };
  await server.stop();
  return found;
}

it('makes the plant at the first start on an empty database, and nothing at the second', async () => {
  const first = await afterStart('on');
  expect(first).toEqual({ devices: 7, labels: 1, alarms: 4, accounts: 1, sessions: 1 });
  expect(await afterStart('on')).toEqual(first);
});

it('makes nothing where it is off', async () => {
  expect(await afterStart('off')).toEqual({
    devices: 0,
    labels: 0,
    alarms: 0,
    accounts: 0,
    sessions: 0,
  });
});
