import { expect, it } from 'vitest';
import { z } from 'zod';

import { storeQuestion } from '../../src/agentic/chat/turn/store.ts';
import { startLostTurnSweeper } from '../../src/agentic/session/lost-turn.ts';
import { refuse, type Reply, say, type Sent, startModel } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { chat } from '../support/people/chat.ts';
import { startWorld } from '../support/world/app.ts';
import { TestClock } from '../support/world/clock.ts';
import { otherNode } from '../support/world/other-node.ts';
import { started } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

/** A model that evaluates its prompt for long, in place of another (docs/specification/assistant.md, Models). */
const clock = new TestClock();
const model = started(() => startModel((sent: Sent) => (sent.model === 'down' ? down : slow)));
const world = started(() =>
  startWorld({
    clock,
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'k',
      AGENTIC_FALLBACK_OPENAI_IDLE_MS: '300000',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
    },
  }),
);

const Messages = z.array(z.looseObject({ createTime: z.string() }));

/** Fails, and the wait before it is asked again passes. */
const down: Reply = async (res) => {
  await refuse(503)(res);
  for (let passed = 0; passed < 5; passed += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    await clock.advance(1_000);
  }
};

const slow: Reply = async (res) => {
  for (let passed = 0; passed < 200; passed += 10) {
    await clock.advance(10_000);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  if (!res.destroyed) await say('At last.')(res);
};

it('has the limit of silence that the operator set', async () => {
  expect((await chat(world.admin, 'now')).text).toContain('At last.');
});

it('ends a question as unfinished only after that limit too', async () => {
  const { app, admin } = world;
  const turn = { conversationId: 'slow', model: 'fake-1', ext: {}, text: 'now', attachments: [] };
  const asked = { ...turn, since: clock.now(), branch: null, turnId: 'slow' };
  await storeQuestion(app, agentIn(admin), asked, null);
  const messages = async () => {
    const path = '/api/v3/agentic/message/list';
    return Messages.parse((await admin.get(path, { conversation_id: 'slow' })).body.data);
  };
  const [question] = await messages();
  const other = new TestClock(Date.parse(question?.createTime ?? ''));
  const sweeper = startLostTurnSweeper(otherNode(app, { clock: other }));
  for (const ms of [200_000, 240_000]) {
    await other.advance(ms);
    await other.idle();
  }
  expect(await messages()).toHaveLength(1);
  for (const ms of [40_000, 30_000]) {
    await other.advance(ms);
    await other.idle();
  }
  expect(await messages()).toMatchObject([{ role: 'user' }, { status: 'UNFINISHED' }]);
  await sweeper.stop();
});

it('is waited for where it answers in place of a model with a shorter limit', async () => {
  const { baseUrl } = model;
  await addProvider(world.admin, { name: 'first', baseUrl, model: 'down' });
  const timeouts = { idleMs: 300_000 };
  const providerId = await addProvider(world.admin, { name: 'second', baseUrl, timeouts });
  const spare = { providerId, model: 'slow', fallbackOrder: 1 };
  await world.admin.data('/api/v3/agentic/model/config/add', spare);
  expect((await chat(world.admin, 'now', { model: 'down' })).text).toContain('At last.');
});
