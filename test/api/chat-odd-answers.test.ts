import { beforeAll, describe, expect, it } from 'vitest';

import { call, frame, type Reply, say, type Sent, stream } from '../support/neighbours/model.ts';
import { inTurn, results, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer, question, withFacts } from '../support/people/chat.ts';
import { prepared, started } from '../support/world/prepared.ts';

/** Answers of models and of servers that are not as a dialect says (docs/specification/assistant.md, Models). */
const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
let answer: typeof chatWorld.answer;
let requests: Sent[];
beforeAll(() => {
  ({ answer } = chatWorld);
  ({ requests } = chatWorld.model);
});

const choice = (delta: object, finish: string | null = null): string =>
  frame({ choices: [{ index: 0, delta, finish_reason: finish }] });
const parts = (...texts: string[]): Reply =>
  stream(...texts.map((content) => choice({ content })), choice({}, 'stop'), 'data: [DONE]\n\n');
const ended = (reason: string): Reply => stream(choice({}, reason), 'data: [DONE]\n\n');

describe('an answer without a text', () => {
  it('is asked for twice more, and is then an error and no blank success', async () => {
    answer(() => ended('stop'));
    const before = requests.length;
    const { status, body } = await chatAnswer(session, question('hello'));
    expect(status).toBe(503);
    expect(JSON.stringify(body)).toContain('sent no answer');
    expect(requests.length - before).toBe(3);
  });

  it.each([
    ['length', 'used up its tokens', 'length'],
    ['MAX_TOKENS', 'used up its tokens', 'length'],
    ['content_filter', 'refused to answer', 'content_filter'],
    ['SAFETY', 'refused to answer', 'content_filter'],
  ])('that ends with %s says so', async (reason, words, finish_reason) => {
    answer(() => ended(reason));
    const { text, completion } = await chat(session, 'hello');
    expect(text).toContain(words);
    expect(completion.choices[0]).toMatchObject({ finish_reason });
  });
});

describe('an answer in JSON', () => {
  const schema = {
    type: 'object',
    properties: { degrees: { type: 'number' } },
    required: ['degrees'],
  };
  const asked = {
    tool_choice: 'none',
    response_format: { type: 'json_schema', json_schema: { name: 'heat', schema } },
  };
  it.each([[{}], [{ tool_choice: undefined }]])(
    'has no fence and no thoughts, %j',
    async (more) => {
      const text = '<think>Warm.</think>\n```json\n{"degrees": 21}\n```\n';
      for (const size of [1, 5, 100]) {
        answer(() => parts(...(text.match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? [])));
        const { text: said, completion } = await chat(session, 'how warm?', { ...asked, ...more });
        expect(JSON.parse(said)).toEqual({ degrees: 21 });
        expect(completion.x_svc.warnings).toEqual([]);
        expect(completion.choices[0]?.message.content).toBe('{"degrees": 21}');
      }
    },
  );

  it.each(['{"degrees": "warm"}', 'It is warm.', '{"degrees": 21'])(
    'that has not its form is named: %s',
    async (text) => {
      answer(() => say(text));
      const { completion } = await chat(session, 'how warm?', asked);
      expect(completion.choices[0]?.message.content).toBe(text);
      expect(completion.x_svc.warnings).toEqual(['response_format_ignored']);
    },
  );
});

it('takes null for the arguments of a tool that needs none', async () => {
  answer((sent) => (inTurn(sent) === 0 ? call(['getCurrentUserProfile', 'null']) : say('You.')));
  await chat(session, 'who am I?');
  expect(JSON.stringify(results(requests.at(-1)))).not.toContain('error');
});

it('shows what a model thinks in its text as reasoning, and stores the answer alone', async () => {
  answer(() => parts('<think>', 'Hm, ', 'warm.', '</think>', 'It is ', '21 °C.'));
  const { completion } = await chat(session, 'how warm?');
  expect(completion.choices[0]?.message).toMatchObject({
    content: withFacts('It is 21 °C.'),
    reasoning_content: 'Hm, warm.',
  });
});
