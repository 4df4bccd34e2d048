import { join } from 'node:path';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { placesOf } from '../../../driver/lwm2m/environment.ts';
import { schedule } from '../../../driver/sdk/schedule.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { readSettings } from '../../../src/start/settings.ts';
import { onboard } from '../../support/devices/plant.ts';
import { request } from '../../support/people/session.ts';
import { TestClock } from '../../support/world/clock.ts';
import { testEnvironment } from '../../support/world/environment.ts';
import { startedWorld } from '../../support/world/prepared.ts';

const Receipt = z.looseObject({ occurTime: z.string(), expireTime: z.string() });

/** docs/specification/limits.md, Limits, and docs/specification/service.md, Versioning. */
describe('limits', () => {
  const world = startedWorld();

  it('a salt is a UUID, stored nowhere, and works after more than five minutes', async () => {
    const ask = { tenant: 'default', name: 'admin' };
    const path = '/api/v3/auth/token';
    const { body } = await request(world.base, 'POST', `${path}/salt`, { body: ask });
    const salt = z.uuid().parse(body.data);
    world.clock.shift(3_600_000);
    const { status, body: answer } = await request(world.base, 'POST', `${path}/generate`, {
      body: { ...ask, salt, password: testEnvironment.SVC_ADMIN_PASSWORD },
    });
    expect([status, answer.ok]).toEqual([200, true]);
  });

  it('a command is valid for ten seconds from its creation', async () => {
    const session = await world.tenant('commands');
    const { deviceId, temperature } = await onboard(session);
    const body = { deviceId, pointId: temperature };
    const commandId = String(await session.data('/api/v3/data/point_command/read', body));
    const path = '/api/v3/data/point_command_history/get_by_command_id';
    const receipt = Receipt.parse(await session.data(path, undefined, { commandId }));
    expect(Date.parse(receipt.expireTime) - Date.parse(receipt.occurTime)).toBe(10_000);
  });

  it('business endpoints are under /api/v3 only', async () => {
    const body = {};
    const { headers } = world.admin;
    for (const path of ['/manager/device/list', '/api/v2/manager/device/list', '/device/list']) {
      expect((await request(world.base, 'POST', path, { body, headers })).status, path).toBe(404);
    }
  });

  it('the MCP entry and its metadata are outside /api/v3', async () => {
    expect((await fetch(`${world.base}/mcp`, { method: 'POST' })).status).toBe(401);
    const metadata = `${world.base}/.well-known/oauth-protected-resource`;
    expect((await fetch(metadata)).status).toBe(200);
    expect((await fetch(`${world.base}/api/v3/mcp`, { method: 'POST' })).status).toBe(404);
  });
});

it('the settings have the defaults of the specification', () => {
  const config = readSettings({ SVC_ENV: 'test', SVC_SECRET_KEY: testEnvironment.SVC_SECRET_KEY });
  expect(config.agentic).toMatchObject({
    toolCalling: true,
    historyWindow: 30,
    memory: { enabled: false, maxMessages: 50, schemaInit: 'never' },
    attachmentPath: join(config.dataDir, 'agentic', 'attachments'),
    fallback: { apiKey: '', temperature: 0.7, maxTokens: 2048 },
  });
  expect(config.agentic.fallback.baseUrl).toMatch(/^https:/);
  expect(config.agentic.fallback.model).not.toBe('');
  expect(config.agentRepeats).toBe(20);
  expect(config.callsPerMinute).toEqual({ ofKey: 6_000, ofTenant: 24_000 });
  const budget = { calls: 6_000, deviceReads: 600, proposals: 120, outputTokens: 3_000_000 };
  expect(config.budgets.connection).toEqual(budget);
  const twice = Object.entries(budget).map(([name, limit]) => [name, 2 * limit]);
  expect(config.budgets.principal).toEqual(Object.fromEntries(twice));
  expect(placesOf(config.drivers)).toMatchObject({
    clear: { port: 5683, host: '127.0.0.1' },
    secure: { port: 5684, host: '0.0.0.0' },
  });
});

it.each(['-0.1', '2.1'])('a fallback temperature of %s is refused at start', (temperature) => {
  const AGENTIC_FALLBACK_OPENAI_TEMPERATURE = temperature;
  expect(() => readSettings({ ...testEnvironment, AGENTIC_FALLBACK_OPENAI_TEMPERATURE })).toThrow(
    /AGENTIC_FALLBACK_OPENAI_TEMPERATURE/,
  );
});

it.each([
  ['0/5 * * * * ?', 5],
  ['0/15 * * * * ?', 15],
  ['0/30 * * * * ?', 30],
])('the cron string %s runs every %i seconds', async (cron, seconds) => {
  const clock = new TestClock(Date.parse('2026-01-05T08:00:01.000Z'));
  const runs: number[] = [];
  const job = async () => void runs.push(new Date(clock.now()).getUTCSeconds());
  const running = schedule(cron, { clock, log: createLog('silent'), job });
  await clock.advance(59_000);
  running.cancel();
  const expected = Array.from({ length: 60 / seconds - 1 }, (_, i) => (i + 1) * seconds);
  expect(runs).toEqual([...expected, 0]);
});
