import { sql } from 'kysely';
import { afterEach, describe, expect, it } from 'vitest';

import { acrossTenants } from '../../src/db/tenant.ts';
import { call, type FakeModel, say, type Sent, startModel } from '../support/neighbours/model.ts';
import { inTurn } from '../support/people/chat-world.ts';
import { chat } from '../support/people/chat.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { type FreshDatabase, freshDatabase } from '../support/world/database.ts';

const CREATE = { AGENTIC_MEMORY_SCHEMA_INIT: 'create_if_not_exists' };
const ON = { AGENTIC_MEMORY_ENABLED: 'true', ...CREATE };

/** Stops what a test started, whatever became of it. */
const started: { stop(): Promise<unknown> }[] = [];
afterEach(async () => {
  for (const one of started.splice(0).toReversed()) await one.stop();
});

/** Asks for the user's profile in every turn, then answers. */
async function curious(): Promise<FakeModel> {
  const model = await startModel((sent) =>
    inTurn(sent) === 0 && sent.tools ? call(['getCurrentUserProfile', {}]) : say('You are admin.'),
  );
  started.push(model);
  return model;
}

type Started = { world: World; data: FreshDatabase };
async function start(
  model: FakeModel,
  environment: Record<string, string>,
  earlier?: Started,
): Promise<Started> {
  await earlier?.world.halt();
  const data = earlier?.data ?? (await freshDatabase());
  const world = await startWorld({
    database: data,
    environment: {
      AGENTIC_FALLBACK_OPENAI_BASE_URL: model.baseUrl,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'k',
      SVC_EGRESS_ALLOW: new URL(model.baseUrl).host,
      ...environment,
    },
  });
  if (!earlier) started.push({ stop: () => data.remove() });
  started.push({ stop: () => world.halt().catch(() => {}) });
  return { world, data };
}

const roles = (sent: Sent | undefined) => sent?.messages.slice(1).map(({ role }) => role);
const idsIn = (sent: Sent | undefined) =>
  sent?.messages.flatMap(({ tool_calls: calls }) => calls ?? []).map(({ id }) => id);
const TURN = ['user', 'assistant', 'tool', 'assistant'];
const talk = async ({ world }: Started, ...texts: string[]) => {
  for (const text of texts) await chat(world.admin, text, { conversationId: 'c' });
};
const count = (world: World) =>
  acrossTenants(world.app.db, 'doctor', async (q) => {
    const { rows } = await sql<{ turns: number; messages: number }>`
      select count(*)::int as turns, coalesce(sum(message_count), 0)::int as messages
      from svc_chat_memory`.execute(q);
    return rows[0];
  });

describe('AGENTIC_MEMORY_ENABLED', () => {
  it('false, as it is unless set: the next turn has what was said, nothing of the tools', async () => {
    const model = await curious();
    const on = await start(model, {});
    await talk(on, 'one', 'two');
    expect(roles(model.requests[2])).toEqual(['user', 'assistant', 'user']);
  });

  it('true: the next turn has the tool calls and results of those before, also after a restart', async () => {
    const model = await curious();
    let on = await start(model, ON);
    await talk(on, 'one', 'two');
    expect(roles(model.requests[2])).toEqual([...TURN, 'user']);
    const [, , asked, result] = model.requests[2]?.messages ?? [];
    expect(asked?.tool_calls).toMatchObject([
      { id: 'm1_0', function: { name: 'getCurrentUserProfile' } },
    ]);
    expect(result?.tool_call_id).toBe('m1_0');
    expect(JSON.parse(result?.content ?? '')).toMatchObject({ userId: expect.any(String) });
    on = await start(model, ON, on);
    await talk(on, 'three');
    const sent = model.requests[4];
    expect(roles(sent)).toEqual([...TURN, ...TURN, 'user']);
    const ids = sent?.messages.flatMap(({ tool_calls: calls }) => calls ?? []).map(({ id }) => id);
    expect(ids).toEqual(['m1_0', 'm3_0']);
  });

  it('switched on later: what was said before is there without its tools, and goes on with them', async () => {
    const model = await curious();
    const off = await start(model, {});
    await talk(off, 'one');
    const on = await start(model, ON, off);
    await talk(on, 'two', 'three');
    expect(roles(model.requests.at(-1))?.slice(0, 8)).toEqual([
      'user',
      'assistant',
      ...TURN,
      'user',
      'assistant',
    ]);
  });

  it('with tools switched off feeds what was said alone', async () => {
    const model = await curious();
    const on = await start(model, ON);
    await talk(on, 'one');
    const without = await start(model, { ...ON, AGENTIC_TOOL_CALLING_ENABLED: 'false' }, on);
    await talk(without, 'two');
    expect(roles(model.requests.at(-1))).toEqual(['user', 'assistant', 'user']);
  });
});

describe('AGENTIC_MEMORY_MAX_MESSAGES and the history window', () => {
  it('both bound what is fed, at turn boundaries, and the memory keeps no more', async () => {
    const model = await curious();
    let on = await start(model, { ...ON, AGENTIC_MEMORY_MAX_MESSAGES: '9' });
    await talk(on, 'one', 'two', 'three', 'four');
    expect(roles(model.requests[6])).toEqual([...TURN, ...TURN, 'user']);
    expect(await count(on.world)).toEqual({ turns: 2, messages: 8 });
    on = await start(model, { ...ON, SVC_AGENTIC_HISTORY_WINDOW_SIZE: '2' }, on);
    await talk(on, 'five');
    expect(roles(model.requests[8])).toEqual([...TURN, 'user']);
    on = await start(model, { ...ON, AGENTIC_MEMORY_MAX_MESSAGES: '3' }, on);
    await talk(on, 'six');
    expect(roles(model.requests[10])).toEqual(['user', 'assistant', 'user']);
  });
});

describe('AGENTIC_MEMORY_SCHEMA_INIT', () => {
  it('never, as it is unless set: the start is refused where the table is missing, with the way out', async () => {
    const model = await curious();
    await expect(start(model, { AGENTIC_MEMORY_ENABLED: 'true' })).rejects.toThrow(
      /svc_chat_memory does not exist .*AGENTIC_MEMORY_SCHEMA_INIT=create_if_not_exists npm run svc -- migrate/,
    );
  });

  it('create_if_not_exists makes it once, for a memory that may be switched on later', async () => {
    const model = await curious();
    const made = await start(model, CREATE);
    const on = await start(model, { AGENTIC_MEMORY_ENABLED: 'true' }, made);
    await talk(on, 'one');
    expect(await count(on.world)).toEqual({ turns: 1, messages: 4 });
  });

  it('always runs the script at every start and loses nothing', async () => {
    const model = await curious();
    const environment = { ...ON, AGENTIC_MEMORY_SCHEMA_INIT: 'always' };
    const on = await start(model, environment);
    await talk(on, 'one');
    const again = await start(model, environment, on);
    expect(await count(again.world)).toEqual({ turns: 1, messages: 4 });
    await talk(again, 'two');
  });

  it('leaves a table that only its tenant sees', async () => {
    const model = await curious();
    const on = await start(model, ON);
    await talk(on, 'one');
    const { rows } = await sql`select from svc_chat_memory`.execute(on.world.app.db.queries);
    expect(rows).toEqual([]);
  });

  it.each([
    [{ AGENTIC_MEMORY_ENABLED: 'maybe' }, 'AGENTIC_MEMORY_ENABLED'],
    [{ AGENTIC_MEMORY_SCHEMA_INIT: 'sometimes' }, 'AGENTIC_MEMORY_SCHEMA_INIT'],
    [{ AGENTIC_MEMORY_MAX_MESSAGES: '0' }, 'AGENTIC_MEMORY_MAX_MESSAGES'],
    [{ AGENTIC_MEMORY_MAX_MESSAGES: '1.5' }, 'AGENTIC_MEMORY_MAX_MESSAGES'],
  ])('refuses to start with %j', async (environment, name) => {
    const model = await curious();
    await expect(start(model, environment)).rejects.toThrow(name);
  });
});

describe('deleting a conversation', () => {
  it('deletes its memory, also when the memory is off by then', async () => {
    const model = await curious();
    const on = await start(model, ON);
    await talk(on, 'one');
    const off = await start(model, {}, on);
    await off.world.admin.data('/api/v3/agentic/session/delete', { conversationId: 'c' });
    expect(await count(off.world)).toEqual({ turns: 0, messages: 0 });
  });
});

it('gives every call an id of its own, in a turn and in those after it', async () => {
  const profile: [string, object] = ['getCurrentUserProfile', {}];
  const tenant: [string, object] = ['getCurrentTenantInfo', {}];
  // The vendor counts anew in every round.
  const model = await startModel((sent) => {
    if (!sent.tools || inTurn(sent) > 3) return say('Done.');
    return inTurn(sent) === 0 ? call(profile) : call(profile, tenant);
  });
  started.push(model);
  const on = await start(model, ON);
  await talk(on, 'one', 'two');
  const inOneTurn = idsIn(model.requests[2]);
  expect(inOneTurn).toHaveLength(3);
  expect(new Set(inOneTurn).size).toBe(3);
  expect(idsIn(model.requests[3])).toEqual(['m1_0', 'm1_1', 'm1_2']);
  const results = model.requests[3]?.messages.map(({ tool_call_id: id }) => id ?? []).flat();
  expect(results).toEqual(['m1_0', 'm1_1', 'm1_2']);
});

it('keeps what a turn ended with that was stopped at a call', async () => {
  const model = await startModel((sent) =>
    sent.messages.at(-1)?.content === 'two' ? say('Done.') : call(['getCurrentUserProfile', {}]),
  );
  started.push(model);
  const on = await start(model, ON);
  await talk(on, 'one', 'two');
  expect(model.requests.at(-1)?.messages.at(-2)).toMatchObject({
    role: 'assistant',
    content: expect.stringContaining('I stopped here'),
  });
});

it('keeps a turn that broke off in a form that can be shown again', async () => {
  let breaks = true;
  const model = await startModel((sent) => {
    if (inTurn(sent) === 0) return call(['getCurrentUserProfile', {}]);
    return breaks ? (res) => void res.destroy() : say('Here I am.');
  });
  started.push(model);
  const on = await start(model, ON);
  await expect(talk(on, 'one')).rejects.toThrow('503');
  breaks = false;
  await talk(on, 'two');
  const said = model.requests.at(-2)?.messages.slice(1) ?? [];
  expect(said.map(({ role }) => role)).toEqual([...TURN, 'user']);
  expect(said[3]?.content).toBe('This answer broke off here.');
});
