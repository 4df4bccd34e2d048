import { afterAll, beforeAll, expect, it } from 'vitest';

import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { prepared } from '../support/world/prepared.ts';
import { startProcess } from '../support/world/process.ts';

const SWITCH = '/api/v3/auth/mcp/switch/get';

let world: World;
const data = prepared(() => freshDatabase());
beforeAll(async () => {
  world = await startWorld({ database: data });
  await world.tenant('second');
});
afterAll(() => world.stop());

/** `svc agents …` while the platform is stopped, which the embedded database needs. */
async function run(...words: string[]) {
  await world.halt();
  const child = startProcess(['src/main.ts', 'agents', ...words], world.environment);
  const { code } = await child.exited;
  world = await startWorld({ database: data });
  return { code, output: child.output.join('\n') };
}

it('svc agents turns the switch of the platform or of a tenant, and is on record', async () => {
  const off = await run('off', '--reason', 'A drill');
  expect(off).toMatchObject({ code: 0, output: expect.stringContaining('Agents are off on the') });
  expect(await world.admin.data(SWITCH)).toMatchObject({ platform: 'OFF', reason: 'A drill' });
  expect((await run('on')).code).toBe(0);
  expect((await run('read-only', '--tenant', 'default')).code).toBe(0);
  expect(await world.admin.data(SWITCH)).toMatchObject({ platform: 'ON', tenant: 'READ_ONLY' });
  const rows = await world.admin.data('/api/v3/auth/identity_audit/list', {
    resourceType: 'AGENT_SWITCH',
  });
  expect(rows).toMatchObject([
    { action: 'UPDATE', resourceName: 'tenant', principalType: 'SYSTEM' },
    { action: 'ENABLE', resourceName: 'platform' },
    { action: 'DISABLE', resourceName: 'platform', detailExt: { reason: 'A drill' } },
  ]);
  const nowhere = await run('off', '--tenant', 'nowhere');
  expect([nowhere.code, nowhere.output]).toEqual([1, expect.stringContaining('no tenant nowhere')]);
  expect(await run('away')).toMatchObject({ code: 1 });
});
