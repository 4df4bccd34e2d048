import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';

import { createLog } from '../../src/kernel/process/log.ts';
import { postFrom } from '../support/people/from-address.ts';
import { startWorld } from '../support/world/app.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const Ready = z.object({ status: z.string(), warnings: z.array(z.string()) });
const lines: string[] = [];
const log = createLog('warn', (line) => void lines.push(line));

const world = started(() => startWorld({ log, environment: { SVC_TRUSTED_PROXIES: '127.0.0.2' } }));
beforeAll(async () => {
  await eventually(ready, ({ status }) => status === 'ready');
});

const ready = async () => Ready.parse(await (await fetch(`${world.base}/readyz`)).json());
const said = () => lines.filter((line) => line.includes('SVC_TRUSTED_PROXIES'));

it('is said once in the log with its address, and at /readyz for an hour', async () => {
  // Of the proxy that is trusted it is as it should be.
  const salt = { tenant: 'default', name: 'admin' };
  const forwarded = { 'x-forwarded-for': '192.0.2.7' };
  const asked = await postFrom(world.base, '127.0.0.2', '/api/v3/auth/token/salt', salt, forwarded);
  expect(asked.status).toBe(200);
  expect((await ready()).warnings).toEqual([]);
  for (const headers of [{ 'x-forwarded-for': '192.0.2.7' }, { forwarded: 'for=192.0.2.7' }])
    await fetch(`${world.base}/livez`, { headers });
  const { status, warnings } = await ready();
  expect([status, warnings]).toEqual(['ready', [expect.stringContaining('SVC_TRUSTED_PROXIES')]]);
  expect(JSON.stringify(warnings)).not.toContain('127.0.0.1');
  expect(said()).toEqual([expect.stringContaining('127.0.0.1')]);
  world.clock.shift(3_601_000);
  expect((await ready()).warnings).toEqual([]);
});

it('says of a trusted proxy that sends Forwarded alone that X-Forwarded-For is read', async () => {
  world.clock.shift(3_601_000);
  const before = said().length;
  const salt = { tenant: 'default', name: 'admin' };
  const given = { forwarded: 'for=192.0.2.7' };
  const path = '/api/v3/auth/token/salt';
  for (const headers of [given, { ...given, 'x-forwarded-for': '192.0.2.7' }, given])
    expect((await postFrom(world.base, '127.0.0.2', path, salt, headers)).status).toBe(200);
  expect((await ready()).warnings).toEqual([
    expect.stringMatching(
      /^A proxy of SVC_TRUSTED_PROXIES sends Forwarded without X-Forwarded-For/,
    ),
  ]);
  expect(said()).toHaveLength(before + 1);
});
