import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { programFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { onboard } from '../tools/agent.ts';

const TIMES = 3;

let world: World;
let tenant: Session;
beforeAll(async () => {
  world = await startWorld({ environment: { SVC_AGENT_REPEATS: String(TIMES) } });
  tenant = await world.tenant('looping');
});
afterAll(() => world.stop());

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

  it('are counted anew with another answer', async () => {
    const ask = await agent();
    for (let time = 1; time < TIMES; time += 1) await call(ask);
    await onboard(tenant, 'news');
    for (let time = 0; time < TIMES; time += 1) expect(await call(ask)).not.toContain(SAME);
    expect(await call(ask)).toContain(SAME);
  });
});
