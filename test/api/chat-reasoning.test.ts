import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';

import { inTenant } from '../../src/db/tenant.ts';
import {
  frame,
  refuse,
  type Reply,
  say,
  type Sent,
  startModel,
  stream,
} from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { inTurn } from '../support/people/chat-world.ts';
import {
  chat,
  chatAnswer,
  chatFrames,
  Chunk,
  Completion,
  withFacts,
} from '../support/people/chat.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { started } from '../support/world/prepared.ts';

const AGENTIC = '/api/v3/agentic';
const DONE = 'data: [DONE]\n\n';

let world: World;
let admin: Session;
let replies: { first: (sent: Sent, at: number) => Reply; second: (sent: Sent) => Reply };
const first = started(() => startModel((sent, at) => replies.first(sent, at)));
const second = started(() => startModel((sent) => replies.second(sent)));
beforeAll(async () => {
  const hosts = [first, second].map(({ baseUrl }) => new URL(baseUrl).host);
  world = await startWorld({
    environment: {
      SVC_EGRESS_ALLOW: hosts.join(','),
      AGENTIC_MEMORY_ENABLED: 'true',
      AGENTIC_MEMORY_SCHEMA_INIT: 'create_if_not_exists',
    },
  });
  ({ admin } = world);
  const ids = [
    await addProvider(admin, { name: 'first', baseUrl: first.baseUrl }),
    await addProvider(admin, { name: 'second', baseUrl: second.baseUrl }),
  ];
  const add = (model: string, providerId: string | undefined, more: object = {}) =>
    admin.data(`${AGENTIC}/model/config/add`, { model, providerId, ...more });
  await add('thinker', ids[0]);
  await add('spare', ids[1], { fallbackOrder: 1 });
});
afterAll(async () => {
  await world.stop();
});
beforeEach(() => {
  first.requests.length = 0;
  second.requests.length = 0;
});

const chunk = (delta: object, finish: string | null = null) =>
  frame({ id: 'c1', choices: [{ index: 0, delta, finish_reason: finish }] });
const signature = (text: string) => ({ google: { thought_signature: text } });

/** Reasons, then calls a tool. */
const reasoned = (text: string, name: string, args: object = {}): Reply =>
  stream(
    chunk({ role: 'assistant', content: null, reasoning_content: '' }),
    ...(text.match(/\s*\S+/g) ?? []).map((word) =>
      chunk({ content: null, reasoning_content: word }),
    ),
    chunk({
      tool_calls: [
        {
          id: `id_${text.length}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(args) },
          extra_content: signature(text),
        },
      ],
    }),
    chunk({}, 'tool_calls'),
    DONE,
  );

/** Calls of a request with what is given back beside them. */
const given = (sent: Sent | undefined) =>
  (sent?.messages ?? []).flatMap((message) =>
    message.tool_calls
      ? [[message['reasoning_content'], message.tool_calls[0]?.['extra_content']]]
      : [],
  );

const twoCalls = (sent: Sent): Reply => {
  if (inTurn(sent) === 0) return reasoned('Devices first.', 'searchDevices');
  if (inTurn(sent) === 2) return reasoned('Drivers next.', 'searchDrivers');
  return say('All is well.');
};

describe('what a model reasons', () => {
  it('reaches its caller beside the answer, streamed and not, and is nowhere else', async () => {
    const thought = 'I wrote 21.5 to the boiler.';
    const thinking = (sent: Sent): Reply =>
      inTurn(sent) === 0
        ? reasoned(thought, 'searchDevices')
        : stream(
            chunk({ role: 'assistant', content: '', reasoning_content: 'None' }),
            chunk({ content: '', reasoning_content: ' there.' }),
            chunk({ content: 'No' }),
            chunk({ content: ' devices.' }),
            chunk({}, 'stop'),
            DONE,
          );
    replies = { first: thinking, second: () => say('Two.') };
    const shown = `${thought}\n\nNone there.`;
    const ask = { model: 'thinker', conversationId: 'shown' };
    const { completion } = await chat(admin, 'how is it?', ask);
    expect(completion.choices[0].message).toMatchObject({
      content: withFacts('No devices.'),
      reasoning_content: shown,
    });
    const { data } = await chatFrames(admin, 'how is it?', ask);
    const deltas = data
      .slice(0, -1)
      .flatMap((part) => Chunk.parse(JSON.parse(part)).choices.map(({ delta }) => delta));
    const all = (name: 'content' | 'reasoning_content') =>
      deltas.map((delta) => delta[name] ?? '').join('');
    expect([all('reasoning_content'), all('content')]).toEqual([shown, withFacts('No devices.')]);
    const listed = await admin.get(`${AGENTIC}/message/list`, { conversation_id: 'shown' });
    expect(JSON.stringify(listed.body)).toContain('No devices.');
    expect(JSON.stringify(listed.body)).not.toMatch(/I wrote|None there/);
  });

  it('is not in an answer of a vendor that sends none', async () => {
    replies = { first: () => say('Fine.'), second: () => say('Two.') };
    const { completion } = await chat(admin, 'hello', { model: 'thinker' });
    expect(completion.choices[0].message).not.toHaveProperty('reasoning_content');
  });

  it('is no first token: another model may still answer', async () => {
    const hm = chunk({ content: null, reasoning_content: 'Hm.' });
    const failed = frame({ error: { message: 'out of memory' } });
    replies = { first: () => stream(hm, failed), second: () => say('Two.') };
    const { completion, text } = await chat(admin, 'hello', { model: 'thinker' });
    expect([text, completion.model]).toEqual(['Two.', 'spare']);
  });
});

describe('what a vendor wants to have back', () => {
  it('goes to the same model in the rounds of a turn, and in no later one', async () => {
    replies = { first: twoCalls, second: () => say('Two.') };
    const conversationId = 'reasons';
    const ask = { model: 'thinker', conversationId };
    expect((await chat(admin, 'how is it?', ask)).text).toBe('All is well.');
    const devices = ['Devices first.', signature('Devices first.')];
    const drivers = ['Drivers next.', signature('Drivers next.')];
    expect(first.requests.map(given)).toEqual([[], [devices], [devices, drivers]]);
    replies.first = () => say('Still.');
    await chat(admin, 'and now?', ask);
    expect(given(first.requests.at(-1))).toEqual([
      [undefined, undefined],
      [undefined, undefined],
    ]);
    const kept = await inTenant(world.app.db, admin.tenantId, (q) =>
      q.selectFrom('svc_chat_memory').select('messages').execute(),
    );
    expect(JSON.stringify(kept)).toContain('searchDrivers');
    expect(JSON.stringify(kept)).not.toMatch(/Drivers next|thought_signature/);
  });

  it('does not go to a model that answers in place of it', async () => {
    replies = {
      first: (sent) =>
        inTurn(sent) === 0
          ? reasoned('Devices first.', 'searchDevices')
          : refuse(503, { 'retry-after': '60' }),
      second: (sent) =>
        inTurn(sent) === 2 ? reasoned('Drivers next.', 'searchDrivers') : say('Two.'),
    };
    expect((await chat(admin, 'how is it?', { model: 'thinker' })).text).toBe('Two.');
    const none = [undefined, undefined];
    expect(second.requests.map(given)).toEqual([
      [none],
      [none, ['Drivers next.', signature('Drivers next.')]],
    ]);
  });

  it('is that of the answer alone where an attempt broke off while it reasoned', async () => {
    const broken = stream(chunk({ content: null, reasoning_content: 'Hm, no.' }));
    replies = {
      first: (sent, at) =>
        at === 1 ? broken : inTurn(sent) === 0 ? twoCalls(sent) : say('Quiet.'),
      second: () => say('Two.'),
    };
    expect((await chat(admin, 'how is it?', { model: 'thinker' })).text).toBe('Quiet.');
    expect(given(first.requests.at(-1))).toEqual([['Devices first.', signature('Devices first.')]]);
  });

  it.each([
    [
      'reasoning_content',
      'The `reasoning_content` in the thinking mode must be passed back to the API.',
    ],
    ['extra_content', 'Function call is missing a thought_signature in functionCall parts.'],
  ])('is filled in as %s for calls that came without it', async (name, message) => {
    const part = (sent: Sent | undefined) =>
      (sent?.messages ?? []).flatMap((one) => {
        const [made] = one.tool_calls ?? [];
        return made ? [name === 'extra_content' ? made[name] : one[name]] : [];
      });
    replies = {
      first: (sent) =>
        part(sent).includes(undefined)
          ? refuse(400, {}, JSON.stringify({ error: { message } }))
          : twoCalls(sent),
      second: () => say('Two.'),
    };
    const ask = { model: 'thinker', conversationId: `demands-${name}` };
    await chat(admin, 'how is it?', ask);
    expect(first.requests).toHaveLength(3);
    // The calls of the turn before are remembered without it.
    expect((await chat(admin, 'and now?', ask)).text).toBe('All is well.');
    expect(first.requests).toHaveLength(7);
    const empty = name === 'reasoning_content' ? '' : signature('skip_thought_signature_validator');
    const own = ['Devices first.', 'Drivers next.'].map((text) =>
      name === 'reasoning_content' ? text : signature(text),
    );
    expect(part(first.requests.at(-1))).toEqual([empty, empty, ...own]);
  });

  it('stays away from a vendor that refuses to have it back', async () => {
    const message = "property 'reasoning_content' is unsupported for role:assistant";
    replies = {
      first: (sent) =>
        given(sent).some(([reasoning]) => reasoning !== undefined)
          ? refuse(400, {}, JSON.stringify({ error: { message } }))
          : twoCalls(sent),
      second: () => say('Two.'),
    };
    expect((await chat(admin, 'how is it?', { model: 'thinker' })).text).toBe('All is well.');
    expect(first.requests).toHaveLength(4);
  });

  it('is kept while a turn waits for a tool of the client', async () => {
    const tools = [{ type: 'function', function: { name: 'getWeather', parameters: {} } }];
    replies = {
      first: (sent) =>
        inTurn(sent) === 0 ? reasoned('Weather first.', 'getWeather') : say('Sunny.'),
      second: () => say('Two.'),
    };
    const user = { role: 'user', content: 'Is it sunny?' };
    const ask = { model: 'thinker', tools };
    const handed = Completion.parse((await chatAnswer(admin, { ...ask, messages: [user] })).body);
    const { message } = handed.choices[0];
    const result = { role: 'tool', tool_call_id: message.tool_calls?.[0]?.id, content: '"sunny"' };
    const { status } = await chatAnswer(admin, { ...ask, messages: [user, message, result] });
    expect(status).toBe(200);
    expect(given(first.requests.at(-1))).toEqual([['Weather first.', signature('Weather first.')]]);
  });
});
