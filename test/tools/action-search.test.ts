import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { actionsIn } from '../support/people/actions.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, toolNamed } from './agent.ts';

const Found = z.object({
  returned: z.int(),
  nextCursor: z.string().nullable(),
  records: z.array(z.looseObject({ actionId: z.string(), status: z.string(), say: z.string() })),
});

const world = startedWorld();

async function search(caller: ReturnType<typeof agentIn>, input: object = {}) {
  const answer = await toolNamed('searchActions').run(world.app, caller, input);
  expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(1_500);
  return Found.parse(JSON.parse(JSON.stringify(answer)));
}

describe('searchActions', () => {
  it('tells how proposals ended, who proposed and decided them, and which are mine in any conversation', async () => {
    const mine = await world.tenant('proposals');
    const site = await onboardVirtual(world, 'boiler', mine);
    const { proposeIn, decide } = actionsIn(world, mine);
    const me = { ...agentIn(mine), principalId: '4711', name: 'other agent', clientId: 'desk' };
    const rejected = await proposeIn(site, '23', { conversationId: 'yesterday' });
    await decide('reject', rejected.actionId, { reason: 'too warm' });
    world.clock.shift(1_000);
    const done = await proposeIn(site, '24');
    await decide('confirm', done.actionId, { wait_ms: 10_000 });
    world.clock.shift(1_000);
    const open = await proposeIn(site, '25', {}, me);

    const { records } = await search(agentIn(mine));
    expect(records).toMatchObject([
      {
        actionId: open.actionId,
        status: 'PENDING',
        by: 'other agent',
        client: 'desk',
        via: 'oauth',
      },
      { actionId: done.actionId, status: 'EXECUTED', done: true, decidedBy: expect.any(String) },
      {
        actionId: rejected.actionId,
        status: 'REJECTED',
        done: false,
        comment: 'too warm',
        say: expect.stringContaining('too warm'),
      },
    ]);
    expect(records[0]).not.toHaveProperty('decidedAt');
    const ids = async (input: object, caller = agentIn(mine)) =>
      (await search(caller, input)).records.map(({ actionId }) => actionId);
    expect(await ids({ mine: true })).toEqual([done.actionId, rejected.actionId]);
    expect(await ids({ mine: true }, me)).toEqual([open.actionId]);
    expect(await ids({ status: 'EXECUTED' })).toEqual([done.actionId]);
    expect(await ids({ deviceId: 'device boiler', status: 'REJECTED' })).toEqual([
      rejected.actionId,
    ]);
    world.clock.shift(3_600_000);
    expect(await ids({ status: 'EXPIRED' })).toEqual([open.actionId]);
    expect(await ids({ status: 'PENDING' })).toEqual([]);
    expect(await ids({ since: 0.5 })).toEqual([]);
    expect(await ids({}, agentIn(await world.tenant('stranger')))).toEqual([]);
  });

  it('is read page by page, each proposal once', async () => {
    const mine = await world.tenant('many');
    const { site, proposeIn } = actionsIn(world, mine);
    const place = await site();
    for (let value = 0; value < 19; value += 1) await proposeIn(place, String(10 + value));
    const seen = [];
    for (let cursor: string | null | undefined; cursor !== null;) {
      const page = await search(agentIn(mine), cursor ? { cursor } : {});
      seen.push(...page.records.map(({ actionId }) => actionId));
      cursor = page.nextCursor;
    }
    expect(new Set(seen).size).toBe(19);
    expect(seen).toHaveLength(19);
    await expect(search(agentIn(mine), { cursor: 'x' })).rejects.toThrow('nextCursor');
    await expect(search(agentIn(mine), { status: 'DONE' })).rejects.toThrow('WITHDRAWN');
  });
});
