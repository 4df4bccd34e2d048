import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../support/devices/plant.ts';
import { login } from '../support/people/session.ts';
import { freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';
import { startServer } from '../support/world/server.ts';

const ROWS = 250;
const DEVICE = '/api/v3/manager/device';
const Import = z.looseObject({ status: z.string(), added: z.number(), done: z.number() });

const data = prepared(() => freshDatabase());
const environment = prepared(() => ({ ...testEnvironment, SVC_DEMO: 'off', ...data.environment }));
afterAll(() => data.remove());

const start = async (more: Record<string, string> = {}) => {
  const server = await startServer({ ...environment, ...more });
  const password = testEnvironment.SVC_ADMIN_PASSWORD;
  return { server, session: await login(server.base, 'default', 'admin', password) };
};

it('goes on with an import that a crash interrupted, each row once', async () => {
  // In the third slice, before it is committed.
  const { server, session } = await start({ SVC_CRASH_AT: 'import-slice:3' });
  const { driverId, profileId } = await onboard(session);
  const names = Array.from({ length: ROWS }, (_, index) => `crash-${index}`);
  const csv = `deviceName,host\n${names.map((name) => `${name},h`).join('\n')}`;
  const importId = z
    .string()
    .parse(await session.data(`${DEVICE}/import/run`, { driverId, profileId, csv }));
  expect(await server.exited).toMatchObject({ signal: 'SIGKILL' });

  const again = await start();
  try {
    const found = await eventually(
      async () =>
        Import.parse(await again.session.data(`${DEVICE}/import/get`, undefined, { importId })),
      ({ status }) => status !== 'RUNNING',
    );
    expect(found).toMatchObject({ status: 'DONE', added: ROWS, done: ROWS });
    const page = await again.session.data(`${DEVICE}/list`, { deviceName: 'crash-' });
    expect(page).toMatchObject({ total: ROWS });
  } finally {
    await again.server.stop();
  }
}, 120_000);
