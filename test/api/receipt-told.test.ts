import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { notifyAllOutcomes } from '../../src/agentic/decision/notice.ts';
import { startActionSweeper } from '../../src/agentic/decision/sweeper.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { call, say } from '../support/neighbours/model.ts';
import { actionsIn, LIFE_MS } from '../support/people/actions.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat } from '../support/people/chat.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

const AGENTIC = '/api/v3/agentic';
const Message = z.looseObject({
  messageIndex: z.number(),
  role: z.string(),
  contentExt: z.looseObject({
    text: z.string(),
    actions: z.array(z.string()),
    receipt: z.looseObject({ actionId: z.string(), status: z.string() }).optional(),
  }),
});

const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const site = prepared(() => onboardVirtual(chatWorld.world, 'plant'));

let counter = 0;
let conversationId: string;
beforeEach(() => {
  counter += 1;
  conversationId = `told-${counter}`;
});

/** A turn of the conversation in which the model proposes a write. */
async function proposed(value: number): Promise<string> {
  const { deviceId, pointId } = site;
  chatWorld.answer((sent) =>
    inTurn(sent) === 0
      ? call(['writePointValue', { deviceId, pointId, value }])
      : say('I asked for it.'),
  );
  const { pending } = await chat(session, `set it to ${value}`, { conversationId });
  chatWorld.answer(() => say('Noted.'));
  return pending[0]?.actionId ?? '';
}
const messages = async () =>
  z
    .array(Message)
    .parse(
      await session.data(`${AGENTIC}/message/list`, undefined, { conversation_id: conversationId }),
    );
const receipts = async () =>
  (await messages()).flatMap(({ contentExt }) => (contentExt.receipt ? [contentExt.receipt] : []));
const decide = (verb: 'confirm' | 'reject', actionId: string, more: object = {}) =>
  actionsIn(chatWorld.world, session).decide(verb, actionId, more);
const swept = () => startActionSweeper(chatWorld.world.app);

describe('the end of an action is told in its conversation', () => {
  it('when its command has ended, bound to the call that proposed it, with the truth', async () => {
    const actionId = await proposed(22);
    expect(await receipts()).toEqual([]);
    await decide('confirm', actionId, { wait_ms: 10_000 });
    expect((await messages()).at(-1)).toMatchObject({
      messageIndex: 3,
      role: 'assistant',
      status: 'OK',
      contentExt: {
        text: expect.stringMatching(
          /^Receipt of action .*, EXECUTED: “plant set-point” of “plant device” was 20 °C, became 22 °C: written .*, read back, confirmed by “admin”\.$/,
        ),
        actions: [actionId],
        receipt: {
          actionId,
          toolCallId: 'call_0',
          status: 'EXECUTED',
          proposedValue: '22',
          command: { status: 'SUCCESS', verification: 'VERIFIED' },
        },
      },
    });
  });

  it('when it was rejected, at once', async () => {
    const actionId = await proposed(23);
    await decide('reject', actionId);
    expect(await receipts()).toMatchObject([{ actionId, status: 'REJECTED', command: null }]);
    await decide('reject', actionId);
    expect(await receipts()).toHaveLength(1);
  });

  it('when its time was over', async () => {
    const actionId = await proposed(24);
    chatWorld.world.clock.shift(LIFE_MS + 1);
    const told = await eventually(receipts, (found) => found.length > 0);
    expect(told).toMatchObject([{ actionId, status: 'EXPIRED' }]);
  });

  it('by the next turn where nobody was faster, and then before its question', async () => {
    const actionId = await proposed(25);
    await decide('confirm', actionId);
    await eventually(
      () => session.data(`${AGENTIC}/action/get`, undefined, { action_id: actionId }),
      (action) => JSON.stringify(action).includes('"EXECUTED"'),
    );
    await chat(session, 'and?', { conversationId });
    expect(
      (await messages()).map(({ role, contentExt }) => contentExt.receipt?.status ?? role),
    ).toEqual(['user', 'assistant', 'EXECUTED', 'user', 'assistant']);
  });

  it('once, however many tell it at the same moment', async () => {
    const actionId = await proposed(26);
    await decide('confirm', actionId);
    const { app } = chatWorld.world;
    await Promise.all([
      ...Array.from({ length: 10 }, () => notifyAllOutcomes(app)),
      ...Array.from({ length: 5 }, () => decide('confirm', actionId, { wait_ms: 10_000 })),
    ]);
    await Promise.all(Array.from({ length: 10 }, () => notifyAllOutcomes(app)));
    await eventually(receipts, (found) => found.length > 0);
    await Promise.all(Array.from({ length: 10 }, () => notifyAllOutcomes(app)));
    expect(await receipts()).toHaveLength(1);
  });
});

describe('the model', () => {
  it('reads the receipt once: among the rules, not again as something it said', async () => {
    const actionId = await proposed(27);
    await decide('confirm', actionId, { wait_ms: 10_000 });
    await chat(session, 'Did it work?', { conversationId });
    const sent = chatWorld.model.requests.at(-1)?.messages ?? [];
    expect(sent.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(sent[0]?.content).toMatch(
      new RegExp(`- action ${actionId} is EXECUTED: point .* became 27 °C: written .*, read back`),
    );
    expect(JSON.stringify(sent)).not.toContain('Receipt of action');
  });
});

describe('nothing is told', () => {
  const untold = (actionId: string) =>
    inTenant(chatWorld.world.app.db, session.tenantId, (q) =>
      q
        .selectFrom('svc_action')
        .select('told')
        .where('tenantId', '=', session.tenantId)
        .where('actionId', '=', actionId)
        .executeTakeFirstOrThrow(),
    ).then(({ told }) => !told);

  it('where the conversation is gone, nor to a later one of the same id', async () => {
    const actionId = await proposed(28);
    await session.data(`${AGENTIC}/session/delete`, { conversationId });
    await chat(session, 'anew', { conversationId });
    await decide('reject', actionId);
    await swept().stop();
    await notifyAllOutcomes(chatWorld.world.app);
    expect(await receipts()).toEqual([]);
    expect(await untold(actionId)).toBe(false);
    const sent = chatWorld.model.requests.at(-1)?.messages ?? [];
    expect(JSON.stringify(sent)).not.toContain(actionId);
  });

  it('of an action outside of any conversation', async () => {
    const own = actionsIn(chatWorld.world, session);
    const { actionId } = await own.proposeIn(await own.site());
    await decide('reject', actionId);
    expect(await untold(actionId)).toBe(false);
  });
});
