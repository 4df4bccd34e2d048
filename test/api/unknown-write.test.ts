import { describe, expect, it } from 'vitest';

import { insertWrite } from '../../src/data/write/dispatch.ts';
import { checkWrite } from '../../src/data/write/write-check.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { actionsIn } from '../support/people/actions.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, type Site } from '../tools/agent.ts';

const world = startedWorld();
const session = prepared(() => world.admin);
const actions = prepared(() => actionsIn(world, session));

describe('a write of unknown outcome', () => {
  async function unknownAt(target: Site, given: object = {}): Promise<string> {
    const { tenantId } = session;
    const commandId = crypto.randomUUID();
    await inTenant(world.app.db, tenantId, async (q) => {
      const checked = await checkWrite(q, world.app, tenantId, { ...target, value: '22' });
      const now = world.clock.now();
      await insertWrite(q, {
        ...checked,
        caller: agentIn(session),
        source: 'HTTP',
        commandId,
        now,
      });
      const UNKNOWN = 8;
      await q
        .updateTable('svc_point_command_history')
        .set({ status: UNKNOWN, errorCode: 'NO_ANSWER', sendTime: new Date(now), ...given })
        .where('tenantId', '=', tenantId)
        .where('commandId', '=', commandId)
        .execute();
    });
    return commandId;
  }

  it('is named on the next card of its point, which is confirmed by its digest only', async () => {
    const target = await actions.site();
    const commandId = await unknownAt(target);
    const card = await actions.proposeIn(target, '25');
    expect(card.others).toEqual([{ kind: 'UNKNOWN', id: commandId, value: '22', by: '' }]);
    expect(card.say).toContain('It is not known whether an earlier write of 22 °C');
    expect((await actions.decide('confirm', card.actionId)).status).toBe(412);
    expect(await actions.commandsOf(card.actionId)).toEqual([]);
    const { digest } = card;
    expect((await actions.decide('confirm', card.actionId, { digest })).status).toBe(200);
  });

  it.each([
    ['a day ago', () => ({ sendTime: new Date(world.clock.now() - 86_400_000) })],
    ['before a later write', () => ({ openUntil: new Date(world.clock.now() - 1) })],
  ])('is not named any more where it was sent %s: no reading proves it', async (_when, given) => {
    const target = await actions.site();
    await unknownAt(target, given());
    expect(await actions.proposeIn(target, '25')).toMatchObject({
      others: [],
      digestRequired: false,
    });
  });
});
