import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer } from 'node:http';

import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { chatCompletions } from '../../src/agentic/chat/serve.ts';
import { append } from '../../src/agentic/session/message.ts';
import { lockSession } from '../../src/agentic/session/session.ts';
import type { Queries } from '../../src/db/connect.ts';
import { inTenant } from '../../src/db/tenant.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { call, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat, question } from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { attach } from '../support/people/upload.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual, type Site } from '../tools/agent.ts';

/** Trips of the turn that runs in it, and of nothing beside it. */
const counted = new AsyncLocalStorage<{ trips: number }>();
const note = (): void => {
  const turn = counted.getStore();
  if (turn) turn.trips += 1;
};

let app: App;
let session: Session;
let caller: Caller;
let site: Site;
const chatWorld = started(() =>
  startChatWorld({
    SVC_AGENTIC_HISTORY_WINDOW_SIZE: '30',
    AGENTIC_MEMORY_ENABLED: 'true',
    AGENTIC_MEMORY_SCHEMA_INIT: 'create_if_not_exists',
  }),
);
beforeAll(async () => {
  ({ app, admin: session } = chatWorld.world);
  const { clientId: _, scopes: __, ...login } = agentIn(session);
  caller = { ...login, principalType: 'USER', via: 'login', name: 'admin' };
  site = await onboardVirtual(chatWorld.world, 'plant');
  subscribe('svc:trip', note);
});
afterAll(async () => {
  unsubscribe('svc:trip', note);
});
beforeEach(() => chatWorld.answer(() => say('All is well.')));

/** Trips of a turn behind the gateway: without authentication and the loading of permissions. */
async function tripsOf(body: object): Promise<number> {
  const turn = { trips: 0 };
  const server = createServer((_req, res) => {
    const { signal } = new AbortController();
    void counted.run(turn, () => chatCompletions(app, caller, body, res, signal));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}`);
    expect(answer.status, await answer.text()).toBe(200);
    return turn.trips;
  } finally {
    server.close();
  }
}

describe.each([
  ['one JSON object', false],
  ['a stream', true],
])('with the memory on, a turn that answers %s', (_shape, stream) => {
  const conversationId = `long-${stream}`;

  it('takes three trips after thirty messages, an action among them', async () => {
    const { deviceId, pointId } = site;
    chatWorld.answer((sent) =>
      inTurn(sent) === 0
        ? call(['writePointValue', { deviceId, pointId, value: stream ? 21 : 22 }])
        : say('Asked.'),
    );
    await chat(session, 'set it', { conversationId });
    chatWorld.answer(() => say('All is well.'));
    for (let i = 0; i < 14; i += 1) await chat(session, `question ${i}`, { conversationId });
    expect(await tripsOf(question('hello', { stream, conversationId }))).toBe(3);
    const sent = chatWorld.model.requests.at(-1)?.messages ?? [];
    expect(sent[0]?.content).toContain('is PENDING');
    // Thirty as they were said, the call and its result, and the question.
    expect(sent.slice(1)).toHaveLength(33);
  });

  it('takes three trips with an attachment', async () => {
    const { id } = await attach(session, conversationId, 'note', 'a.txt');
    const asked = question('hello', { stream, conversationId, attachments: [id] });
    expect(await tripsOf(asked)).toBe(3);
  });
});

const Indexes = z.array(z.looseObject({ messageIndex: z.number() }));

it('a turn that waits for its conversation, and those behind it, give each message an index of its own', async () => {
  const conversationId = 'all-at-once';
  await chat(session, 'hello', { conversationId });
  const { tenantId, principalId: userId } = caller;
  const turns = await inTenant(app.db, tenantId, async (q) => {
    await lockSession(q, { tenantId, userId, conversationId });
    const waiting = Array.from({ length: 4 }, (_, at) =>
      chat(session, `question ${at}`, { conversationId }),
    );
    // The embedded engine has one session: nothing else runs before this transaction ends.
    if (app.db.engine === 'postgres')
      await eventually(
        () => blocked(q),
        (count) => count >= 1,
      );
    const content = { text: 'Meanwhile.', tools: [], actions: [] };
    const message = { role: 'assistant', content, model: '', isFinished: true } as const;
    await append(app, q, caller, conversationId, message);
    return { waiting };
  });
  await Promise.all(turns.waiting);
  const { body } = await session.get('/api/v3/agentic/message/list', {
    conversation_id: conversationId,
  });
  const indexes = Indexes.parse(body.data).map(({ messageIndex }) => messageIndex);
  expect(indexes).toEqual(Array.from({ length: 11 }, (_, at) => at + 1));
});

async function blocked(q: Queries): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from pg_locks where not granted`.execute(q);
  return rows[0]?.count ?? 0;
}
