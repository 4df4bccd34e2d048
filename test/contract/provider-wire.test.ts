import { afterEach, describe, expect, it } from 'vitest';

import { openAiCompatible } from '../../providers/openai-compatible.ts';
import type { ModelDelta } from '../../providers/provider.ts';
import { TestClock } from '../support/clock.ts';
import {
  type FakeModel,
  frame,
  refuse,
  type Reply,
  say,
  startModel,
  stream,
} from '../support/model.ts';

const DONE = 'data: [DONE]\n\n';
const text = (content: string, finish: string | null = null) =>
  frame({ choices: [{ index: 0, delta: { content }, finish_reason: finish }] });

let upstream: FakeModel;
afterEach(() => upstream.stop());

async function complete(reply: Reply, clock = new TestClock()): Promise<ModelDelta[]> {
  upstream = await startModel(() => reply);
  const provider = openAiCompatible({ baseUrl: `${upstream.baseUrl}/`, apiKey: 'k-1', clock });
  const deltas: ModelDelta[] = [];
  const request = {
    model: 'm-1',
    messages: [{ role: 'user', content: 'hello' } as const],
    tools: [],
    temperature: 0.2,
    maxTokens: 7,
  };
  for await (const delta of provider.complete(request, new AbortController().signal)) {
    deltas.push(delta);
  }
  return deltas;
}

const said = (deltas: ModelDelta[]): string =>
  deltas.map((delta) => (delta.type === 'text' ? delta.text : '')).join('');

describe('the openai-compatible provider', () => {
  it('sends model, messages, key and options, and no tools when there are none', async () => {
    await complete(say('hi'));
    expect(upstream.keys).toEqual(['Bearer k-1']);
    expect(upstream.requests[0]).toMatchObject({
      model: 'm-1',
      stream: true,
      messages: [{ role: 'user', content: 'hello' }],
      temperature: 0.2,
      max_tokens: 7,
    });
    expect(upstream.requests[0]?.tools).toBeUndefined();
  });

  it('understands a stream however its bytes are cut, with comments, CRLF and a BOM', async () => {
    const whole = Buffer.from(
      `\uFEFF: comment\r\n\r\n${text('Zu heiß 🔥 ').replaceAll('\n', '\r\n')}${text('21 °C', 'stop')}${DONE}`,
    );
    const bytes = Array.from(whole, (_, at) => whole.subarray(at, at + 1));
    expect(said(await complete(stream(...bytes)))).toBe('Zu heiß 🔥 21 °C');
  });

  it('takes a JSON answer of a vendor that does not stream', async () => {
    const body = JSON.stringify({
      choices: [{ message: { role: 'assistant', content: 'whole' }, finish_reason: 'length' }],
      usage: { prompt_tokens: 3, completion_tokens: 4 },
    });
    const deltas = await complete(refuse(200, {}, body));
    expect(said(deltas)).toBe('whole');
    expect(deltas.at(-1)).toEqual({
      type: 'finish',
      reason: 'length',
      usage: { promptTokens: 3, completionTokens: 4 },
    });
  });

  it('does not mind what is missing, extra or of the wrong type', async () => {
    const odd = frame({
      id: 7,
      choices: [
        { delta: { content: 5, tool_calls: [{ function: { name: 't', arguments: { a: 1 } } }] } },
      ],
      extra: [],
    });
    const deltas = await complete(
      stream(frame({}), odd, frame({ choices: [] }), text('ok', 'unheard_of')),
    );
    expect(deltas).toEqual([
      { type: 'toolCall', index: 0, name: 't', arguments: '{"a":1}' },
      { type: 'text', text: 'ok' },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  it.each([
    [401, 503],
    [403, 503],
    [404, 503],
    [400, 422],
    [413, 422],
    [500, 503],
    [529, 503],
  ])('turns the vendor status %i into our %i and hides the vendor text', async (theirs, ours) => {
    const secret = '{"error":{"message":"key k-1 is bad"}}';
    await expect(complete(refuse(theirs, {}, secret))).rejects.toMatchObject({
      status: ours,
      message: expect.not.stringContaining('k-1'),
    });
  });

  it('hands on how long a rate limit lasts', async () => {
    await expect(complete(refuse(429, { 'retry-after': '12' }))).rejects.toMatchObject({
      status: 429,
      detail: { retryAfterSeconds: 12 },
    });
  });

  it('does not follow a redirect', async () => {
    const elsewhere = refuse(307, { location: 'http://127.0.0.1:1/v1/chat/completions' });
    await expect(complete(elsewhere)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('redirects'),
    });
    expect(upstream.requests).toHaveLength(1);
  });

  it('reports an error inside the stream, broken JSON and a stream that breaks off', async () => {
    const broken: Reply[] = [
      stream(text('half '), frame({ error: { message: 'overloaded' } })),
      stream('data: {"choices":\n\n'),
      stream(text('half ')),
      (res) => {
        res.writeHead(200, { 'content-type': 'text/event-stream' });
        res.write(text('half '), () => res.destroy());
      },
    ];
    for (const reply of broken) {
      await expect(complete(reply)).rejects.toMatchObject({ status: 503 });
      await upstream.stop();
    }
    upstream = await startModel(() => say('for the clean-up'));
  });

  it('gives up on a provider that says nothing for a minute', async () => {
    const clock = new TestClock();
    const silent: Reply = (res) => {
      res.writeHead(200, { 'content-type': 'text/event-stream' });
      res.write(': hello\n\n', () => void clock.advance(61_000));
    };
    await expect(complete(silent, clock)).rejects.toMatchObject({ status: 503 });
    expect(clock.pending).toBe(0);
  });

  it('is unavailable when nobody listens', async () => {
    upstream = await startModel(() => say('never'));
    await upstream.stop();
    const { baseUrl } = upstream;
    upstream = await startModel(() => say('for the clean-up'));
    const provider = openAiCompatible({ baseUrl, apiKey: '', clock: new TestClock() });
    const run = async () => {
      const request = { model: 'm', messages: [], tools: [] };
      for await (const _ of provider.complete(request, new AbortController().signal));
    };
    await expect(run()).rejects.toMatchObject({ status: 503 });
  });
});
