import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { asModel } from '../../src/agentic/chat/loop/tool-call.ts';
import { storeQuestion } from '../../src/agentic/chat/turn/store.ts';
import { propose } from '../../src/agentic/propose/action.ts';
import { startLostTurnSweeper } from '../../src/agentic/session/lost-turn.ts';
import { call, say } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { ACTIONS } from '../support/people/actions.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatFrames } from '../support/people/chat.ts';
import { TestClock } from '../support/world/clock.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { agentIn, onboard, type Site } from '../tools/agent.ts';

const EVERY_MS = 30_000;
const LONGEST_TURN_MS = 150_000;
const Messages = z.array(
  z.looseObject({
    role: z.string(),
    status: z.string(),
    content: z.string(),
    contentExt: z.looseObject({ actions: z.array(z.string()) }),
  }),
);

let site: Site;
let count = 0;
const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);

beforeEach(async () => {
  count += 1;
  site = await onboard(session, `lost${count}`);
});

/** What a process stored of a turn before it died: the question, or the proposal, or both. */
const lost = {
  question: (conversationId: string, text: string, turnId = `turn-${conversationId}`) =>
    storeQuestion(
      chatWorld.world.app,
      agentIn(session),
      {
        conversationId,
        model: 'fake-1',
        ext: {},
        text,
        attachments: [],
        since: chatWorld.world.clock.now(),
        branch: null,
        turnId,
      },
      null,
    ),
  proposal: async (conversationId: string) => {
    const by = asModel(agentIn(session), conversationId);
    return (await propose(chatWorld.world.app, by, { ...write(), conversationId })).actionId;
  },
};

const write = () => ({ deviceId: site.deviceId, pointId: site.pointId, value: '21.5' });
const proposing = (): void =>
  chatWorld.answer((sent) =>
    inTurn(sent) === 0 ? call(['writePointValue', write()]) : say('I have asked for it.'),
  );

const kept = async (conversationId: string) =>
  Messages.parse(
    (await session.get('/api/v3/agentic/message/list', { conversation_id: conversationId })).body
      .data,
  );

describe('a question whose process died', () => {
  it('gets an unfinished answer with its proposals 150 s later, once', async () => {
    await lost.question('died', 'set it');
    const actionId = await lost.proposal('died');
    chatWorld.answer(() => say('Hello.'));
    await chat(session, 'hello', { conversationId: 'answered' });
    const clock = new TestClock(chatWorld.world.clock.now());
    const sweeper = startLostTurnSweeper(otherNode(chatWorld.world.app, { clock }));
    await clock.advance(LONGEST_TURN_MS - EVERY_MS);
    await clock.idle();
    expect(await kept('died')).toMatchObject([{ role: 'user', content: 'set it' }]);
    for (const ms of [2 * EVERY_MS, 4 * EVERY_MS]) {
      await clock.advance(ms);
      await clock.idle();
      expect(await kept('died')).toMatchObject([
        { role: 'user', status: 'OK' },
        {
          role: 'assistant',
          status: 'UNFINISHED',
          content: '',
          contentExt: { actions: [actionId] },
        },
      ]);
    }
    expect(await kept('answered')).toMatchObject([
      { role: 'user' },
      { role: 'assistant', status: 'OK', content: 'Hello.' },
    ]);
    await sweeper.stop();
    expect(clock.pending).toBe(0);
  });
});

describe('a proposal of a turn that was lost before its conversation was stored', () => {
  it.each([false, true])(
    'is shown to whoever asks the same again, streamed: %s',
    async (streams) => {
      const actionId = await lost.proposal(`gone-${streams}`);
      proposing();
      if (streams) {
        const { data } = await chatFrames(session, 'set it');
        const card = data.find((frame) => frame.includes('"action.pending"'));
        expect(card).toContain(actionId);
      } else {
        const { pending, text } = await chat(session, 'set it');
        expect(pending).toMatchObject([{ actionId, status: 'PENDING' }]);
        expect(text).toContain(actionId);
      }
    },
  );

  it('belongs to that conversation, which gets its receipt', async () => {
    const actionId = await lost.proposal('gone');
    proposing();
    const { conversationId } = await chat(session, 'set it');
    await session.post(`${ACTIONS}/reject`, { action_id: actionId });
    const receipt = { role: 'assistant', contentExt: { receipt: { actionId, done: false } } };
    expect((await kept(conversationId)).at(-1)).toMatchObject(receipt);
    // The rules of its next turn name the action.
    chatWorld.answer(() => say('It was rejected.'));
    await chat(session, 'and?', { conversationId });
    expect(chatWorld.model.requests.at(-1)?.messages[0]?.content).toContain(actionId);
  });

  it('stays with a conversation that is stored', async () => {
    await lost.question('there', 'set it');
    const actionId = await lost.proposal('there');
    proposing();
    await chat(session, 'set it');
    await session.post(`${ACTIONS}/reject`, { action_id: actionId });
    expect((await kept('there')).at(-1)).toMatchObject({ contentExt: { receipt: { actionId } } });
  });

  it('stays without one whose conversation was deleted', async () => {
    await lost.question('deleted', 'set it');
    const actionId = await lost.proposal('deleted');
    await session.data('/api/v3/agentic/session/delete', { conversationId: 'deleted' });
    proposing();
    const { conversationId, pending } = await chat(session, 'set it');
    expect(pending).toMatchObject([{ actionId }]);
    await session.post(`${ACTIONS}/reject`, { action_id: actionId });
    expect((await kept(conversationId)).map(({ role }) => role)).toEqual(['user', 'assistant']);
  });
});

describe('a question whose turn may take longer, by the limits of its provider', () => {
  it('waits as much longer for its answer, also for a client that follows it', async () => {
    const IDLE_MS = 300_000;
    await addProvider(session, {
      name: 'patient',
      baseUrl: chatWorld.model.baseUrl,
      timeouts: { idleMs: IDLE_MS },
    });
    const turnId = `chatcmpl-${'ab'.repeat(12)}`;
    await lost.question('patient', 'think', turnId);
    const clock = new TestClock(chatWorld.world.clock.now());
    const sweeper = startLostTurnSweeper(otherNode(chatWorld.world.app, { clock }));
    const follow = async () =>
      fetch(`${session.base}/api/v3/agentic/chat/stream/${turnId}`, { headers: session.headers });
    await clock.advance(LONGEST_TURN_MS + IDLE_MS - EVERY_MS);
    await clock.idle();
    expect(await kept('patient')).toHaveLength(1);
    chatWorld.world.clock.shift(LONGEST_TURN_MS + IDLE_MS - EVERY_MS);
    expect((await follow()).status).toBe(503);
    chatWorld.world.clock.shift(2 * EVERY_MS);
    expect((await follow()).status).toBe(410);
    await clock.advance(2 * EVERY_MS);
    await clock.idle();
    expect(await kept('patient')).toMatchObject([{}, { status: 'UNFINISHED' }]);
    await sweeper.stop();
  });
});
