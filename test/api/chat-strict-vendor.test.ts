import { beforeEach, describe, expect, it } from 'vitest';

import {
  call,
  type FakeModel,
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
import { chat, chatAnswer, Completion, withFacts } from '../support/people/chat.ts';
import { startWorld } from '../support/world/app.ts';
import { prepared, started } from '../support/world/prepared.ts';

/** Vendors that take one form of messages alone (docs/specification/assistant.md, Models). */
let reply: (sent: Sent) => Reply = () => say('Well.');
const model = started((): Promise<FakeModel> => startModel((sent) => reply(sent)));
const world = started(() =>
  startWorld({ environment: { SVC_EGRESS_ALLOW: new URL(model.baseUrl).host } }),
);
let at = 0;
const tenant = prepared(() => world.admin);

/** A provider whose vendor answers `refusal` to requests that `breaks` finds fault with. */
async function strict(
  breaks: (sent: Sent) => boolean,
  refusal: string,
  answer: (sent: Sent) => Reply = () => say('Well.'),
  status = 400,
): Promise<string> {
  at += 1;
  const name = `strict-${at}`;
  const providerId = await addProvider(tenant, { name, baseUrl: model.baseUrl });
  await tenant.data('/api/v3/agentic/model/config/add', { model: name, providerId });
  reply = (sent) =>
    breaks(sent)
      ? refuse(status, {}, JSON.stringify({ error: { code: status, message: refusal } }))
      : answer(sent);
  return name;
}
beforeEach(() => {
  model.requests.length = 0;
});

const idsIn = (sent: Sent): string[] =>
  sent.messages.flatMap(({ tool_calls = [], tool_call_id }) => [
    ...tool_calls.map(({ id }) => id),
    ...(tool_call_id === undefined ? [] : [tool_call_id]),
  ]);
const calling = (id: string, name: string): Reply =>
  stream(
    frame({
      choices: [
        {
          delta: { tool_calls: [{ index: 0, id, function: { name, arguments: '{}' } }] },
          finish_reason: 'tool_calls',
        },
      ],
    }),
    'data: [DONE]\n\n',
  );
const weather = {
  type: 'function',
  function: { name: 'getWeather', parameters: { type: 'object', properties: {} } },
};

describe('a vendor that takes ids of nine letters and digits alone', () => {
  const breaks = (sent: Sent) => idsIn(sent).some((id) => !/^[a-zA-Z0-9]{9}$/.test(id));
  const refusal = 'Tool call id was call_0 but must be a-z, A-Z, 0-9, with a length of 9.';

  it('gets its own ids back, also those of calls that a client runs', async () => {
    const name = await strict(breaks, refusal, (sent) =>
      inTurn(sent) === 0 ? calling('abcDEF124', 'getWeather') : say('Sunny.'),
    );
    const user = { role: 'user', content: 'how is it?' };
    const asked = { model: name, tools: [weather] };
    const first = Completion.parse((await chatAnswer(tenant, { ...asked, messages: [user] })).body)
      .choices[0].message;
    const result = { role: 'tool', tool_call_id: first.tool_calls?.[0]?.id, content: '"sunny"' };
    const second = await chatAnswer(tenant, { ...asked, messages: [user, first, result] });
    expect(Completion.parse(second.body).choices[0].message.content).toEqual(withFacts('Sunny.'));
    expect(model.requests.map(idsIn)).toEqual([[], ['abcDEF124', 'abcDEF124']]);
  });

  it('gets such ids for files and attachments', async () => {
    const name = await strict(breaks, refusal);
    const file_data = `data:text/plain;base64,${Buffer.from('P7 is a pump').toString('base64')}`;
    const file = { type: 'file', file: { file_data, filename: 'pumps.txt' } };
    const content = [{ type: 'text', text: 'what is P7?' }, file];
    const { status } = await chatAnswer(tenant, {
      model: name,
      messages: [{ role: 'user', content }],
    });
    expect(status).toBe(200);
    expect(model.requests).toHaveLength(1);
    expect(new Set(model.requests.flatMap(idsIn)).size).toBe(1);
  });

  it.each([
    [400, refusal],
    // The templates of its open models, as their servers say it.
    [400, 'Tool call IDs should be alphanumeric strings with length 9!'],
    [500, 'Jinja Exception: Tool call IDs should be alphanumeric strings with length 9!'],
    [404, refusal],
    [200, refusal],
  ])(
    'gets such ids in place of those of other vendors, once it has refused one: %i %s',
    async (status, text) => {
      const name = await strict(breaks, text, undefined, status);
      const messages = [
        { role: 'user', content: 'how is it?' },
        {
          role: 'assistant',
          content: '',
          tool_calls: [
            { id: 'toolu_1', type: 'function', function: { name: 'getWeather', arguments: '{}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'toolu_1', content: '"sunny"' },
        { role: 'user', content: 'and there?' },
      ];
      const ask = () => chatAnswer(tenant, { model: name, messages, tools: [weather] });
      expect((await ask()).status).toBe(200);
      expect(model.requests).toHaveLength(2);
      expect((await ask()).status).toBe(200);
      // It is remembered.
      expect(model.requests).toHaveLength(3);
    },
  );
});

const hasNull = ({ messages }: Sent) => messages.some(({ content }) => content === null);
const hasSystem = ({ messages }: Sent) => messages.some(({ role }) => role === 'system');
const hasNeighbours = ({ messages }: Sent) =>
  messages.some(({ role }, place) => role === 'user' && messages[place - 1]?.role === 'user');
const hasBounds = (sent: Sent) => /"(maxLength|minimum|format)":/.test(JSON.stringify(sent.tools));

it.each([
  ['null', 400, hasNull, 'messages.2.content: Input should be a valid string, got None'],
  ['null', 500, hasNull, 'Jinja Exception: can only concatenate str (not "NoneType") to str'],
  ['a system message', 400, hasSystem, 'System role not supported'],
  ['a system message', 500, hasSystem, 'Jinja Exception: System role not supported'],
  ['neighbours', 400, hasNeighbours, 'Conversation roles must alternate user/assistant/...'],
  ['neighbours', 500, hasNeighbours, 'Jinja Exception: Conversation roles must alternate'],
  ['neighbours', 200, hasNeighbours, 'Conversation roles must alternate user/assistant/...'],
  ['bounds in schemas', 400, hasBounds, 'Failed to initialize samplers: failed to parse grammar'],
  ['bounds in schemas', 500, hasBounds, 'JSON schema conversion failed: Unimplemented keys'],
])('what a vendor refuses is learned: %s, by %i', async (_title, theirs, breaks, refusal) => {
  const answer = (sent: Sent) => (inTurn(sent) === 0 ? call(['searchDevices', {}]) : say('Well.'));
  const name = await strict(breaks, refusal, answer, theirs);
  const messages = [
    { role: 'user', content: 'one' },
    { role: 'user', content: 'two' },
  ];
  const ask = async () => {
    const { status, body } = await chatAnswer(tenant, { model: name, messages });
    expect(status, JSON.stringify(body)).toBe(200);
    return Completion.parse(body).choices[0].message.content;
  };
  expect(await ask()).toEqual(withFacts('Well.'));
  expect(model.requests).toHaveLength(3);
  expect(await ask()).toEqual(withFacts('Well.'));
  expect(model.requests).toHaveLength(5);
  expect(JSON.stringify(model.requests.at(-1)?.messages)).toContain('one');
  expect((await chat(tenant, 'three', { model: name })).text).toBe('Well.');
});
