import { beforeAll, describe, expect, it } from 'vitest';

import { withoutFacts } from '../../src/agentic/session/facts.ts';
import { freePort } from '../support/neighbours/free-port.ts';
import { call, say } from '../support/neighbours/model.ts';
import { inTurn, startChatWorld } from '../support/people/chat-world.ts';
import {
  chat,
  chatAnswer,
  chatFrames,
  Chunk,
  Completion,
  question,
} from '../support/people/chat.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

/** What the platform knows at the end of an answer (docs/specification/assistant.md, Facts). */
const chatWorld = started(startChatWorld);
const session = prepared(() => chatWorld.world.admin);
const site = prepared(() => onboardVirtual(chatWorld.world, fresh('plant')));
let answer: typeof chatWorld.answer;
beforeAll(() => {
  ({ answer } = chatWorld);
});

const NOTHING = { proposed: 0, written: 0, sent: 0, unknown: 0, mismatched: 0, failed: 0, read: 0 };
const NO_EARLIER = { proposed: 0, written: 0 };
const factsIn = (events: readonly Record<string, unknown>[]) =>
  events.filter(({ type }) => type === 'facts');
const contentOf = ({ completion }: Awaited<ReturnType<typeof chat>>): string =>
  completion.choices[0].message.content ?? '';

describe('the facts of an answer', () => {
  it.each([
    'I have set everything to 25 °C.',
    'El valor se ha cambiado a 25 °C.',
    'The valve is closed.',
    'Der Regler ist eingeschaltet.',
    '阀门已关闭。',
    'It is at 20 °C.',
  ])('are the same whatever it claims: %s', async (text) => {
    answer(() => say(text));
    const said = await chat(session, 'and now?');
    expect(contentOf(said)).toBe(`${text}\n\n> proposed 0 · written 0 · read 0 values\n`);
    expect(factsIn(said.events)).toMatchObject([{ ...NOTHING, earlier: NO_EARLIER }]);
    expect(said.completion.x_svc.warnings).toEqual([]);
  });

  it('count what was proposed and read in it, and what became of what was proposed before', async () => {
    const conversationId = 'facts';
    const { deviceId, pointId } = site;
    answer((sent) =>
      inTurn(sent) === 0
        ? call(['writePointValue', { deviceId, pointId, value: 21 }])
        : say('It is done.'),
    );
    const first = await chat(session, 'set it to 21', { conversationId });
    expect(first.pending).toHaveLength(1);
    expect(factsIn(first.events)).toMatchObject([{ ...NOTHING, proposed: 1 }]);
    expect(contentOf(first)).toMatch(/\n\n> proposed 1 · written 0 · read 0 values\n$/);
    const [card] = first.pending;
    await session.data('/api/v3/agentic/action/confirm', {
      action_id: card?.actionId,
      digest: card?.digest,
      wait_ms: 15_000,
    });
    answer((sent) =>
      inTurn(sent) === 0 ? call(['getLatestPointValue', { deviceId, pointId }]) : say('21.'),
    );
    const second = await chat(session, 'and?', { conversationId });
    expect(factsIn(second.events)).toMatchObject([
      { ...NOTHING, read: 1, earlier: { proposed: 1, written: 1 } },
    ]);
    expect(contentOf(second)).toContain('· read 1 value · earlier here: proposed 1, written 1\n');
  });

  it('are no words of the model: it is not sent the line, and the answer is kept without it', async () => {
    answer(() => say('Well.'));
    const { completion } = await chat(session, 'one', { conversationId: 'kept' });
    const resent = completion.choices[0].message;
    await chatAnswer(session, {
      store: false,
      messages: [{ role: 'user', content: 'one' }, resent, { role: 'user', content: 'two' }],
    });
    await chat(session, 'two', { conversationId: 'kept' });
    for (const { messages } of chatWorld.model.requests.slice(-2))
      expect(messages.slice(1).map(({ content }) => content)).toEqual(['one', 'Well.', 'two']);
    const { body } = await session.get('/api/v3/agentic/message/list', { conversation_id: 'kept' });
    expect(body.data).toMatchObject([
      {},
      { content: 'Well.', contentExt: { facts: { ...NOTHING, earlier: NO_EARLIER } } },
      {},
      {},
    ]);
  });

  it('are beside the text alone where it is JSON, or nothing can be proposed', async () => {
    for (const more of [{ tool_choice: 'none' }, { response_format: { type: 'json_object' } }]) {
      answer(() => say('{"done":true}'));
      const said = await chat(session, 'set it', more);
      expect(contentOf(said)).toBe('{"done":true}');
      expect(factsIn(said.events)).toHaveLength(1);
    }
  });

  it('are in the last text of a stream, and in a response', async () => {
    answer(() => say('Well.'));
    const { data } = await chatFrames(session, 'one');
    const chunks = data.slice(0, -1).map((part) => Chunk.parse(JSON.parse(part)));
    const last = chunks.find(({ x_svc }) => x_svc?.type === 'facts');
    expect(last?.choices[0]?.delta.content).toBe('\n\n> proposed 0 · written 0 · read 0 values\n');
    const response = await fetch(`${session.base}/api/v3/agentic/responses`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...session.headers },
      body: JSON.stringify({ input: 'one' }),
    });
    expect(await response.json()).toMatchObject({
      output: [{ content: [{ text: expect.stringContaining('> proposed 0 · written 0') }] }],
    });
    const { status, body } = await chatAnswer(session, question('one', { store: false }));
    expect(status).toBe(200);
    expect(Completion.parse(body).x_svc.warnings).toEqual([]);
  });
});

describe('the facts of an answer of a platform with an address', () => {
  // An address of this machine that is none of loopback by name.
  const named = started(async () => {
    const SVC_PORT = String(await freePort());
    const SVC_BASE_URL = `http://[::ffff:7f00:1]:${SVC_PORT}`;
    return startChatWorld({ SVC_PORT, SVC_BASE_URL });
  });

  it('lead to what was proposed: its page, or the list', async () => {
    const sites = [
      await onboardVirtual(named.world, fresh('plant')),
      await onboardVirtual(named.world, fresh('plant')),
    ];
    const conversationId = 'linked';
    const ask = (count: number, value: number) => {
      const calls = sites.slice(0, count).map(({ deviceId, pointId }) => {
        return ['writePointValue', { deviceId, pointId, value }] as const;
      });
      named.answer((sent) => (count > inTurn(sent) ? call(...calls) : say('Well.')));
      return chat(named.world.admin, `set it to ${value}`, { conversationId });
    };
    expect(contentOf(await ask(0, 20))).toMatch(/\n\n> proposed 0 · written 0 · read 0 values\n$/);
    const one = await ask(1, 21);
    const { base } = named.world.admin;
    const page = `${base}/console/review/${one.pending[0]?.actionId}`;
    expect(contentOf(one)).toContain(`\n\n> [proposed 1](${page}) · written 0 · read 0 values\n`);
    expect(contentOf(await ask(2, 22))).toContain(
      `\n\n> [proposed 2](${base}/console/proposals) · written 0 · `,
    );
    const sent = named.model.requests.at(-1)?.messages.slice(1);
    expect(JSON.stringify(sent)).not.toContain('written 0');
    expect(withoutFacts(contentOf(one))).toMatch(/on the page of the review\.$/);
  });
});
