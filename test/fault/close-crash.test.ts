import { afterAll, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../support/devices/plant.ts';
import { login, type Session } from '../support/people/session.ts';
import { freshDatabase } from '../support/world/database.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';
import { startServer } from '../support/world/server.ts';

const COUNT = 400;
const HOUR = 3_600_000;
const DATA = '/api/v3/data';
const Values = z.array(z.object({ calValue: z.string(), createTime: z.string() }));
const Health = z.object({ history: z.object({ closedUntil: z.string().nullable() }) });

const data = prepared(() => freshDatabase());
const environment = prepared(() => ({
  ...testEnvironment,
  SVC_DEMO: 'off',
  SVC_HISTORY_CLOSE_HOURS: '1',
  ...data.environment,
}));
afterAll(() => data.remove());

const start = async (more: Record<string, string> = {}) => {
  const server = await startServer({ ...environment, ...more });
  const password = testEnvironment.SVC_ADMIN_PASSWORD;
  return { server, session: await login(server.base, 'default', 'admin', password) };
};

it('loses and doubles no value of hours that a killed process was closing', async () => {
  // Killed with the hours written and their rows deleted, before the commit.
  const { server, session } = await start({ SVC_CRASH_AT: 'close-removed' });
  const { deviceId, temperature: pointId } = await onboard(session);
  const from = Math.floor(Date.now() / HOUR) * HOUR - 9 * HOUR;
  const values = Array.from({ length: COUNT }, (_, n) => ({
    deviceId,
    pointId,
    value: String(n),
    createTime: from + n * 30_000,
  }));
  expect(await session.data(`${DATA}/point_value/import`, { values })).toMatchObject({
    stored: COUNT,
  });
  expect(await server.exited).toMatchObject({ signal: 'SIGKILL' });

  // Killed after the commit of the first turn.
  const second = await start({ SVC_CRASH_AT: 'closed' });
  expect(await stored(second.session)).toEqual(values.map(({ value }) => value).toReversed());
  expect(await second.server.exited).toMatchObject({ signal: 'SIGKILL' });

  const third = await start();
  try {
    await eventually(
      async () => Health.parse(await third.session.data(`${DATA}/dashboard/system/health`)),
      ({ history }) => history.closedUntil !== null,
    );
    expect(await stored(third.session)).toEqual(values.map(({ value }) => value).toReversed());
    expect(await third.session.data(`${DATA}/dashboard/stats/today`)).toMatchObject({
      total: COUNT,
    });
  } finally {
    await third.server.stop();
  }

  async function stored(of: Session): Promise<string[]> {
    const query = { device_id: deviceId, point_id: pointId, count: '500' };
    const path = `${DATA}/point_value/list_history_by_device_id_and_point_id`;
    return Values.parse(await of.data(path, undefined, query)).map(({ calValue }) => calValue);
  }
}, 180_000);
