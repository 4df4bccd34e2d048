import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, report, type Site, toolNamed } from '../tools/agent.ts';

const DATA = '/api/v3/data';
const MAX_TOKENS = 1_500;
const Open = z.object({
  total: z.int(),
  firing: z.int(),
  unconfirmed: z.int(),
  truncated: z.boolean(),
  next: z.string().nullable(),
  records: z.array(
    z.looseObject({
      alarmId: z.string(),
      deviceId: z.string(),
      state: z.string(),
      level: z.string(),
      occurrences: z.int(),
    }),
  ),
});

let client: McpClient;
const world = startedWorld();
beforeAll(async () => {
  const [connect] = Object.values(clients);
  if (!connect) throw new Error('no client');
  client = await connect(world.base, await bearerFor(world.admin, { scope: 'svc:read' }));
});
afterAll(async () => {
  await client?.close();
});

/** A point with a rule that fires above 80 at once. */
async function watched(name: string, severity: string): Promise<Site> {
  const site = await onboard(world.admin, name);
  await world.admin.data(`${DATA}/rule/add`, {
    ruleName: `${name} too hot`,
    alarmTargetTypeFlag: 'POINT',
    entityId: site.pointId,
    ruleExt: {
      content: { condition: { field: 'calValue', operator: '>', threshold: 80 }, severity },
    },
  });
  return site;
}
async function measure(site: Site, ...values: number[]): Promise<void> {
  for (const value of values) {
    world.clock.shift(100);
    await report(world, world.admin, site, [value]);
  }
}
const read = async (uri: string) => {
  const answer = await client.read(uri);
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(MAX_TOKENS);
  return Open.parse(answer);
};
async function all() {
  const records = [];
  const pages = [];
  for (let uri: string | null = 'svc://alarm/active'; uri !== null && pages.length < 20;) {
    const page: z.infer<typeof Open> = await read(uri);
    pages.push(page);
    records.push(...page.records);
    uri = page.next;
  }
  return { records, pages };
}

describe('the active alarms', () => {
  it('begin with what fires, by level and age; rules that flap take one row each', async () => {
    const minor = await watched('minor', 'P3');
    const older = await watched('older', 'P2');
    const newer = await watched('newer', 'P2');
    const urgent = await watched('urgent', 'P1');
    await measure(minor, 81);
    await measure(older, 81);
    await measure(newer, 81);
    await measure(urgent, 81, 20);
    const flapping = [await watched('flap', 'P3'), await watched('flutter', 'P2')];
    for (let round = 0; round < 12; round += 1)
      for (const site of flapping) await measure(site, 81, 20);

    const first = await read('svc://alarm/active');
    expect(first).toMatchObject({ total: 6, firing: 3, unconfirmed: 3 });
    const { records } = await all();
    expect(
      records.map(({ deviceId, state, level, occurrences }) => [
        deviceId,
        state,
        level,
        occurrences,
      ]),
    ).toEqual([
      [older.deviceId, 'FIRING', 'P2', 1],
      [newer.deviceId, 'FIRING', 'P2', 1],
      [minor.deviceId, 'FIRING', 'P3', 1],
      [urgent.deviceId, 'RECOVERED', 'P1', 1],
      [flapping[1]?.deviceId, 'RECOVERED', 'P2', 12],
      [flapping[0]?.deviceId, 'RECOVERED', 'P3', 12],
    ]);
    expect(records[0]).toMatchObject({
      deviceName: 'older device',
      pointName: 'older set-point',
      message: '“older too hot”: calValue = 81 (> 80)',
    });
  });

  it('that one answer cannot hold are all found behind it, each once', async () => {
    for (let index = 0; index < 30; index += 1) {
      const site = await watched(`many-${index}`, 'P2');
      await measure(site, 81);
    }
    const { records, pages } = await all();
    expect(pages.length).toBeGreaterThan(1);
    expect(pages.at(-1)?.truncated).toBe(false);
    expect(records).toHaveLength(36);
    expect(new Set(records.map(({ alarmId }) => alarmId)).size).toBe(36);
    expect(records.slice(0, 33).every(({ state }) => state === 'FIRING')).toBe(true);
  });

  it('are named to an agent that lists tools only, and to one that reads instructions', async () => {
    expect(toolNamed('searchEvents').description).toContain('Alarms are no events: searchAlarms.');
    const response = await fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await bearerFor(world.admin, { scope: 'svc:read' })}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: {
          protocolVersion: '2025-06-18',
          capabilities: {},
          clientInfo: { name: 'test', version: '1' },
        },
      }),
    });
    expect(await response.text()).toContain('Alarms: searchAlarms (firing first)');
  });

  it.each(['1', '2.0.0.1', '1.9.0.1', '0.0.x.1'])(
    'has nothing behind position %s',
    async (position) => {
      await expect(client.read(`svc://alarm/active/after/${position}`)).rejects.toMatchObject({
        code: -32602,
      });
    },
  );
});
