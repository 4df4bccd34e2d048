import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { refuseRepeated } from '../../src/auth/agent/breaker.ts';
import { runTool } from '../../src/auth/agent/run-tool.ts';
import { defineTool, READS } from '../../tools/shape/define.ts';
import { programFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard } from '../tools/agent.ts';

const TIMES = 3;

let tenant: Session;
const world = startedWorld({ environment: { SVC_AGENT_REPEATS: String(TIMES) } });
beforeAll(async () => {
  tenant = await world.tenant('looping');
});

const agent = async (): Promise<Ask> =>
  asking(world.base, (await programFor(tenant, { scope: 'svc:read' })).token);
const call = async (ask: Ask, name = 'searchDevices', input: object = {}): Promise<string> =>
  JSON.stringify((await ask('tools/call', { name, arguments: input })).result);
const SAME = 'had the same answer 3 times within a minute';

describe('calls that have the same answer again and again', () => {
  it('are not run for the rest of the minute, in words that say what the answer was and what to do', async () => {
    const ask = await agent();
    for (let time = 1; time < TIMES; time += 1) expect(await call(ask)).not.toContain(SAME);
    world.clock.shift(40_000);
    expect(await call(ask)).not.toContain(SAME);
    const refused = await call(ask);
    expect(refused).toMatch(
      /"text":"searchDevices with these arguments had the same answer 3 times within a minute and is not run again for \d+ s. To hear of news, use waitForEvents, or lookupActionById with waitS. The answer began: \{\\"total\\":0/,
    );
    expect(refused).toContain('"isError":true');
    expect(await call(ask, 'searchDevices', { deviceName: 'pump' })).not.toContain(SAME);
    expect(await call(ask, 'searchProfiles')).not.toContain(SAME);
    expect(await call(await agent())).not.toContain(SAME);
    world.clock.shift(20_000);
    expect(await call(ask)).not.toContain(SAME);
  });

  it('may be errors', async () => {
    const ask = await agent();
    const read = () => call(ask, 'lookupDeviceById', { deviceId: '999999' });
    for (let time = 0; time < TIMES; time += 1) expect(await read()).not.toContain(SAME);
    expect(await read()).toMatch(/had the same answer 3 times.*The answer began: .*does not exist/);
  });

  it('are counted for each client', async () => {
    const input = { deviceName: 'shared' };
    const tool = { name: 'searchDevices' };
    const { tenantId, principalId } = agentIn(tenant);
    const by = (clientId: string) => ({ ...agentIn(tenant), tenantId, principalId, clientId });
    for (let time = 0; time < TIMES; time += 1)
      refuseRepeated(world.app, by('one'), tool, input)('{"records":[]}');
    expect(() => refuseRepeated(world.app, by('one'), tool, input)).toThrow(SAME);
    expect(() => refuseRepeated(world.app, by('two'), tool, input)).not.toThrow();
  });

  it('say nothing of what broke inside', async () => {
    const tool = defineTool({
      name: 'getSystemHealth',
      title: 'Health',
      domain: 'System',
      description: 'Fails.',
      permission: 'none',
      scope: 'svc:read',
      input: z.strictObject({}),
      output: z.object({}),
      annotations: READS,
      run: () => Promise.reject(new Error('connect ECONNREFUSED 10.0.0.7:5432')),
    });
    const caller = { ...agentIn(tenant), permissions: new Set(['*']) };
    for (let time = 0; time < TIMES; time += 1)
      expect(await runTool(world.app, caller, tool, {})).toEqual({ status: 'failed' });
    const refused = await runTool(world.app, caller, tool, {});
    expect(refused).toMatchObject({ error: { message: expect.stringContaining(SAME) } });
    expect(JSON.stringify(refused)).not.toContain('10.0.0.7');
  });

  it('are counted anew with another answer', async () => {
    const ask = await agent();
    for (let time = 1; time < TIMES; time += 1) await call(ask);
    await onboard(tenant, 'news');
    for (let time = 0; time < TIMES; time += 1) expect(await call(ask)).not.toContain(SAME);
    expect(await call(ask)).toContain(SAME);
  });
});
