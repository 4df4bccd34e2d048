import { describe, expect, it } from 'vitest';

import { TooManyRequests } from '../../src/kernel/errors.ts';
import { happens } from '../support/runs/happenings.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

describe('calls that wait for events', () => {
  const world = startedWorld();

  it('are 64 of a principal at a time, and a place that ends is free again', async () => {
    const { tenantId } = world.admin;
    const agent = agentIn(world.admin);
    const tool = toolNamed('waitForEvents');
    const { nextCursor: cursor } = await tool.run(world.app, agent, {});
    const wait = () => tool.run(world.app, agent, { cursor, waitS: 60 });
    const waiting = Array.from({ length: 64 }, wait);
    await expect(wait()).rejects.toThrow(TooManyRequests);
    await happens(world, { tenantId });
    for (const answer of await Promise.all(waiting)) expect(answer).toMatchObject({ returned: 1 });
    expect(await wait()).toMatchObject({ returned: 1 });
  });
});
