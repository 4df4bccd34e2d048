import { expect, it } from 'vitest';

import { refuse, type Reply, say, type Sent, startModel } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { chat } from '../support/people/chat.ts';
import { startWorld } from '../support/world/app.ts';
import { TestClock } from '../support/world/clock.ts';
import { started } from '../support/world/prepared.ts';

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

it('is waited for where it answers in place of a model with a shorter limit', async () => {
  const { baseUrl } = model;
  await addProvider(world.admin, { name: 'first', baseUrl, model: 'down' });
  const timeouts = { idleMs: 300_000 };
  const providerId = await addProvider(world.admin, { name: 'second', baseUrl, timeouts });
  const spare = { providerId, model: 'slow', fallbackOrder: 1 };
  await world.admin.data('/api/v3/agentic/model/config/add', spare);
  expect((await chat(world.admin, 'now', { model: 'down' })).text).toContain('At last.');
});
