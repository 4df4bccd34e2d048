import { once } from 'node:events';
import { createServer } from 'node:http';

import { afterAll, beforeAll, expect, it } from 'vitest';

import { chatCompletions } from '../../src/agentic/chat/serve.ts';
import type { Database } from '../../src/db/connect.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { call, say, startModel } from '../support/neighbours/model.ts';
import { inTurn } from '../support/people/chat-world.ts';
import { chat, chatAnswer, question } from '../support/people/chat.ts';
import { attach } from '../support/people/upload.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { agentIn, onboardVirtual } from '../tools/agent.ts';

let world: World;
const logged: Record<string, unknown>[] = [];

const start = async (toolCalling: boolean): Promise<void> => {
  world = await startWorld({
    database: data,
    log: createLog('info', (line) => void logged.push(JSON.parse(line))),
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'k',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      AGENTIC_TOOL_CALLING_ENABLED: String(toolCalling),
    },
  });
};

const data = prepared(() => freshDatabase());
// A model that calls what it was never offered, whenever it is asked to write.
const model = started(() =>
  startModel((sent) =>
    inTurn(sent) === 0 && sent.messages.at(-1)?.content === 'write'
      ? call(['writePointValue', { deviceId: site.deviceId, pointId: site.pointId, value: 21 }])
      : say('Well.'),
  ),
);
beforeAll(async () => {
  await start(true);
});
const site = prepared(() => onboardVirtual(world, 'plant'));
afterAll(async () => {
  await world.stop();
});

/** A turn of the admin on an App of its own, away from what runs beside it. */
async function turnOn(app: App, body: object): Promise<string> {
  const { admin } = world;
  const caller: Caller = { ...agentIn(admin), principalType: 'USER', via: 'login', name: 'admin' };
  delete caller.scopes;
  const server = createServer((_req, res) => {
    void chatCompletions(app, caller, body, res, new AbortController().signal);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  try {
    const answer = await fetch(`http://127.0.0.1:${port}`);
    const text = await answer.text();
    expect(answer.status, text).toBe(200);
    return text;
  } finally {
    server.close();
  }
}

/** `svc_action`: whether a proposal of a turn that was lost belongs to the conversation. */
const ofChat =
  /^svc_(session|message|action|attachment|model_provider|model_config|chat_budget|chat_step|reserve_budget)$/;

it('a tool call is traced with its domain and title, in the message and in the log', async () => {
  await chat(world.admin, 'write', { conversationId: 'traced' });
  const trace = {
    callId: 'call_0',
    name: 'writePointValue',
    title: 'Propose a write',
    domain: 'Point value',
    status: 'success',
    durationMs: expect.any(Number),
  };
  const { body } = await world.admin.get('/api/v3/agentic/message/list', {
    conversation_id: 'traced',
  });
  expect(body.data).toMatchObject([{ role: 'user' }, { contentExt: { tools: [trace] } }]);
  const entries = logged.filter(({ msg }) => msg === 'a model called a tool');
  expect(entries).toMatchObject([
    { ...trace, tenantId: world.admin.tenantId, conversationId: 'traced' },
  ]);
  // Neither what it was called with nor what it answered.
  expect(JSON.stringify(entries)).not.toMatch(/arguments|"21"|set-point/);
});

it('AGENTIC_TOOL_CALLING_ENABLED=false: the model converses and nothing of devices or data is touched', async () => {
  await world.halt();
  await start(false);
  const { admin } = world;
  const { id } = await attach(admin, 'traced', 'note', 'a.txt');
  const seen = readTables(world.app.db);
  const published: string[] = [];
  const app = otherNode(world.app, {
    db: seen.db,
    bus: {
      ...world.app.bus,
      async publish(topic, ...rest) {
        published.push(topic);
        return world.app.bus.publish(topic, ...rest);
      },
    },
  });
  const before = model.requests.length;
  const said = await turnOn(
    app,
    question('write', { conversationId: 'traced', attachments: [id] }),
  );
  expect(seen.tables().filter((table) => !ofChat.test(table))).toEqual([]);
  expect(seen.tables()).toContain('svc_message');
  expect(published).toEqual([]);
  expect(said).not.toContain('Waiting for confirmation');

  // It calls a tool all the same, and learns that there is none.
  expect(model.requests.at(-1)?.messages.at(-1)?.content).toContain('There is no tool');
  const sent = model.requests[before];
  expect(sent?.tools ?? []).toEqual([]);
  const messages = sent?.messages ?? [];
  expect(messages.map(({ role }) => role)).not.toContain('tool');
  expect(messages[0]?.content).toContain('Tools are switched off');
  // The action of the turn before stands in no receipt, what is attached among what the user says.
  expect(messages[0]?.content).not.toContain('- action');
  expect(messages.at(-2)?.role).toBe('user');
  expect(JSON.parse(messages.at(-2)?.content ?? '')).toMatchObject({
    attachments: [{ fileName: 'a.txt', excerpt: 'note' }],
  });
  expect(messages.at(-1)).toMatchObject({ role: 'user', content: 'write' });
});

it('a turn is refused with 400 for attachments that are no ids', async () => {
  for (const attachments of ['1', [0], [-1], [1.5], ['x'], [null], [{}], Array(11).fill('1')]) {
    const { status } = await chatAnswer(
      world.admin,
      question('x', { conversationId: 'c', attachments }),
    );
    expect(status, JSON.stringify(attachments)).toBe(400);
  }
});

/** The same database, noting every table that a statement through it names. */
function readTables(db: Database): { db: Database; tables(): string[] } {
  const tables = new Set<string>();
  const queries = db.queries.withPlugin({
    transformQuery({ node }) {
      for (const [name] of JSON.stringify(node, bigints).matchAll(/\bsvc_\w+/g)) tables.add(name);
      return node;
    },
    transformResult: async ({ result }) => result,
  });
  return { db: { ...db, queries }, tables: () => [...tables].toSorted() };
}

const bigints = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? value.toString() : value;
