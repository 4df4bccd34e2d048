import { beforeAll, beforeEach, describe, expect, it } from 'vitest';

import * as anthropic from '../support/neighbours/anthropic-model.ts';
import { startAnthropicModel } from '../support/neighbours/anthropic-model.ts';
import { call, say } from '../support/neighbours/model.ts';
import { addProvider } from '../support/neighbours/providers.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import { chat, chatAnswer, Completion } from '../support/people/chat.ts';
import { attach } from '../support/people/upload.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const MB = 1024 * 1024;

const claude = started(() => startAnthropicModel(() => anthropic.say('I see.')));
const chatWorld = started(() => startChatWorld({}, [claude.baseUrl]));
const session = prepared(() => chatWorld.world.tenant('pictures'));
beforeAll(async () => {
  const openai = await addProvider(session, { name: 'o', baseUrl: chatWorld.model.baseUrl });
  for (const given of [{ model: 'blind' }, { model: 'seeing', vision: true }])
    await session.data('/api/v3/agentic/model/config/add', { providerId: openai, ...given });
  const other = { name: 'a', baseUrl: claude.baseUrl, providerType: 'ANTHROPIC' };
  const providerId = await addProvider(session, other);
  const second = { providerId, model: 'claude-a', vision: true };
  await session.data('/api/v3/agentic/model/config/add', second);
});

beforeEach(() => chatWorld.answer(() => say('I see.')));

/** A picture by its first bytes; what follows makes it different from the others. */
const png = (rest: string): Buffer<ArrayBuffer> =>
  Buffer.from(`\x89PNG\r\n\x1a\n${rest}`, 'latin1');
const uploaded = async (conversationId: string, rest = 'plate') => {
  const bytes = png(rest);
  const { id } = await attach(session, conversationId, bytes, `${rest.slice(0, 8)}.png`);
  return { id, base64: bytes.toString('base64') };
};

const lastMessages = () => chatWorld.model.requests.at(-1)?.messages ?? [];
/** The images of the last question, as base64. */
const shown = (): string[] =>
  (lastMessages().findLast(({ role }) => role === 'user')?.parts ?? []).flatMap((part) => {
    const { url } = Object(part['image_url']);
    return typeof url === 'string' ? url.slice(url.indexOf(',') + 1) : [];
  });
/** What the last request says of each attachment. */
const facts = () => {
  const result = lastMessages().findLast(({ role }) => role === 'tool');
  return JSON.parse(result?.content ?? '{}').attachments;
};

describe('an uploaded image', () => {
  it('reaches a model that sees beside its question, in both dialects', async () => {
    const conversationId = 'seen';
    const { id, base64 } = await uploaded(conversationId);
    await chat(session, 'What is it?', { conversationId, attachments: [id], model: 'seeing' });
    expect(lastMessages().map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'tool']);
    expect(lastMessages()[1]?.parts).toEqual([
      { type: 'text', text: 'What is it?' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${base64}` } },
    ]);
    expect(facts()).toMatchObject([{ id, fileName: 'plate.png', shown: expect.any(String) }]);

    await chat(session, 'And now?', { conversationId, attachments: [id], model: 'claude-a' });
    const question = claude.requests.at(-1)?.messages.at(-3);
    expect(question).toEqual({
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: base64 } },
        { type: 'text', text: 'And now?' },
      ],
    });
  });

  it('is named to a model that does not see, with those that do, and the turn goes on', async () => {
    const conversationId = 'blind';
    const { id } = await uploaded(conversationId);
    const more = { conversationId, attachments: [id], model: 'blind' };
    expect((await chat(session, 'What is it?', more)).text).toBe('I see.');
    expect(shown()).toEqual([]);
    const problem = expect.stringMatching(
      /blind is not configured to see images.*: seeing, claude/,
    );
    expect(facts()).toEqual([
      { id, fileName: 'plate.png', contentType: 'image/png', size: 13, problem },
    ]);
  });

  it('is sent again with its question when that is answered again', async () => {
    const conversationId = 'again';
    const { id, base64 } = await uploaded(conversationId);
    const more = { conversationId, model: 'seeing' };
    await chat(session, 'What is it?', { ...more, attachments: [id] });
    await chat(session, 'not read', { ...more, x_svc: { regenerate: 1 } });
    expect(lastMessages()[1]?.content).toBe('What is it?');
    expect(shown()).toEqual([base64]);
  });

  it('stays with a question that is edited, unless the edit names its files', async () => {
    const conversationId = 'edited';
    const { id, base64 } = await uploaded(conversationId, 'one');
    const other = await uploaded(conversationId, 'two');
    const more = { conversationId, model: 'seeing' };
    await chat(session, 'What is it?', { ...more, attachments: [id] });
    await chat(session, 'Which pump is it?', { ...more, x_svc: { edit: 1 } });
    expect(shown()).toEqual([base64]);
    // The new wording has the file as its own.
    await chat(session, 'not read', { ...more, x_svc: { regenerate: 3 } });
    expect(shown()).toEqual([base64]);
    const named = { ...more, attachments: [other.id], x_svc: { edit: 3 } };
    await chat(session, 'And this?', named);
    expect(shown()).toEqual([other.base64]);
    await chat(session, 'None?', { ...more, attachments: [], x_svc: { edit: 6 } });
    expect(shown()).toEqual([]);
  });

  it('is there when the client comes back with results of its tools', async () => {
    const conversationId = 'returned';
    const { id, base64 } = await uploaded(conversationId);
    const tools = [{ type: 'function', function: { name: 'getWeather', parameters: {} } }];
    const answers = [call(['getWeather', {}]), say('Sunny.')];
    chatWorld.answer(() => answers.shift() ?? say('No more.'));
    const more = { conversationId, model: 'seeing', tools };
    const messages: object[] = [{ role: 'user', content: 'What is it?' }];
    const first = await chatAnswer(session, { ...more, messages, attachments: [id] });
    const { message } = Completion.parse(first.body).choices[0];
    const [handed] = message.tool_calls ?? [];
    const result = { role: 'tool', tool_call_id: handed?.id, content: '{"sky":"sunny"}' };
    const { status } = await chatAnswer(session, { ...more, messages: [message, result] });
    expect(status).toBe(200);
    expect(lastMessages()[1]?.content).toBe('What is it?');
    expect(shown()).toEqual([base64]);
  });

  it('that is too large, or too much with the others of its turn, is named only', async () => {
    const conversationId = 'large';
    const ids: string[] = [];
    for (const size of [9 * MB, 5 * MB, 5 * MB, 1 * MB])
      ids.push((await uploaded(conversationId, 'x'.repeat(size))).id);
    await chat(session, 'What is it?', { conversationId, attachments: ids, model: 'seeing' });
    expect(shown().map(({ length }) => Math.round((length * 3) / 4 / MB))).toEqual([5, 1]);
    expect(facts()).toMatchObject([
      { problem: expect.stringContaining('8 MB') },
      { shown: expect.any(String) },
      { problem: expect.stringContaining('too many or too large') },
      { shown: expect.any(String) },
    ]);
  });

  it('makes the proposals after it tainted', async () => {
    const { deviceId, pointId } = await onboard(session, 'plant');
    const proposes = (value: number) =>
      chatWorld.answer((sent) =>
        inTurn(sent) <= 2
          ? call(['writePointValue', { deviceId, pointId, value }])
          : say('Proposed.'),
      );
    const proposed = async (conversationId: string, model: string) => {
      const { id } = await uploaded(conversationId);
      const more = { conversationId, attachments: [id], model };
      const { completion } = await chat(session, 'Set it as it says.', more);
      return completion.x_svc.pending_actions[0]?.['tainted'];
    };
    proposes(21.5);
    expect(await proposed('tainted', 'seeing')).toMatchObject([
      { tool: 'readAttachments', field: 'image', of: 'plate.png' },
    ]);
    // Only what a model sees taints: the name is none of a text.
    proposes(22);
    expect(await proposed('clean', 'blind')).toEqual([]);
  });
});
