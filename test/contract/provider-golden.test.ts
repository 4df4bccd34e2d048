import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';

import Anthropic from '@anthropic-ai/sdk';
import nock from 'nock';
import OpenAI from 'openai';
import { afterEach, describe, expect, it } from 'vitest';

import type { ModelRequest, Provider } from '../../providers/request/provider.ts';
import { dialects } from '../support/neighbours/dialects.ts';
import { type FakeModel, stream } from '../support/neighbours/model.ts';
import { TestClock } from '../support/world/clock.ts';

type Name = keyof typeof dialects;
const names = Object.keys(dialects).filter((name): name is Name => name in dialects);

/** What an answer means, whoever gave it. */
type Meaning = {
  text: string;
  calls: { id: string; name: string; arguments: unknown }[];
  reason: string;
  tokens: [prompt: number, completion: number];
};

/** One transcript per dialect in golden/, which must mean this. */
const transcripts: Record<string, Meaning> = {
  words: { text: 'Der Kessel ist 21.5 °C warm 🔥.', calls: [], reason: 'stop', tokens: [20, 9] },
  calls: {
    text: 'I look.',
    calls: [
      { id: 'call_A1', name: 'searchDevices', arguments: { deviceName: 'bö"x' } },
      { id: 'call_B2', name: 'getCurrentTenantInfo', arguments: {} },
    ],
    reason: 'tool_calls',
    tokens: [31, 22],
  },
  cut: { text: 'It was a dark', calls: [], reason: 'length', tokens: [12, 4] },
  refused: {
    text: "I can't help with that.",
    calls: [],
    reason: 'content_filter',
    tokens: [15, 6],
  },
  thinking: { text: '42', calls: [], reason: 'stop', tokens: [18, 30] },
};

const golden = (transcript: string, dialect: Name): string =>
  readFileSync(new URL(`golden/${transcript}.${dialect}.sse`, import.meta.url), 'utf8');

const KEY = 'key';
const PUBLIC = 'https://models.example.org';
const request: ModelRequest = {
  model: 'm',
  messages: [{ role: 'user', content: 'go' }],
  tools: [],
};
const open = (dialect: Name, baseUrl: string): Provider =>
  dialects[dialect].open({ baseUrl, apiKey: KEY, clock: new TestClock(), egress: null });

async function meaningOf(provider: Provider): Promise<Meaning> {
  const meaning: Meaning = { text: '', calls: [], reason: '', tokens: [0, 0] };
  const parts: { id: string; name: string; text: string }[] = [];
  for await (const delta of provider.complete(request, new AbortController().signal)) {
    if (delta.type === 'text') meaning.text += delta.text;
    if (delta.type === 'toolCall') {
      const part = (parts[delta.index] ??= { id: '', name: '', text: '' });
      part.id += delta.id ?? '';
      part.name += delta.name ?? '';
      part.text += delta.arguments ?? '';
    }
    if (delta.type === 'finish') {
      meaning.reason = delta.reason;
      meaning.tokens = [delta.usage?.promptTokens ?? -1, delta.usage?.completionTokens ?? -1];
    }
  }
  meaning.calls = parts.map(({ id, name, text }) => ({ id, name, arguments: JSON.parse(text) }));
  return meaning;
}

let upstream: FakeModel<unknown> | undefined;
afterEach(async () => {
  nock.cleanAll();
  nock.restore();
  await upstream?.stop();
  upstream = undefined;
});

describe.each(Object.entries(transcripts))('the transcript "%s"', (transcript, meaning) => {
  it.each(names)('means the same in the dialect %s over a socket', async (dialect) => {
    upstream = await dialects[dialect].start(stream(golden(transcript, dialect)));
    expect(await meaningOf(open(dialect, upstream.baseUrl))).toEqual(meaning);
  });

  it.each(names)('means the same in the dialect %s through nock', async (dialect) => {
    if (!nock.isActive()) nock.activate();
    nock.disableNetConnect();
    const path = dialect === 'anthropic' ? '/v1/messages' : '/v1/chat/completions';
    const bytes = Buffer.from(golden(transcript, dialect));
    const scope = nock(PUBLIC, { reqheaders: { authorization: `Bearer ${KEY}` } })
      .post(path, (body) => body.model === 'm' && body.stream === true)
      .reply(200, () => Readable.from(pieces(bytes, 37)), {
        'content-type': 'text/event-stream; charset=utf-8',
      });
    expect(await meaningOf(open(dialect, `${PUBLIC}/v1`))).toEqual(meaning);
    expect(scope.isDone()).toBe(true);
    // Nothing else leaves: the network is closed to this test.
    await expect(meaningOf(open(dialect, 'https://other.example.org'))).rejects.toMatchObject({
      status: 503,
    });
  });
});

function* pieces(bytes: Buffer, size: number): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

describe('the own client of a vendor', () => {
  it.each(Object.entries(transcripts))(
    'reads "%s" of openai-compatible as we do',
    async (transcript, meaning) => {
      upstream = await dialects['openai-compatible'].start(
        stream(golden(transcript, 'openai-compatible')),
      );
      const client = new OpenAI({ baseURL: upstream.baseUrl, apiKey: KEY, maxRetries: 0 });
      const run = client.chat.completions.stream({
        model: 'm',
        messages: [{ role: 'user', content: 'go' }],
        stream_options: { include_usage: true },
      });
      const [choice] = (await run.finalChatCompletion()).choices;
      expect({
        text: `${choice?.message.content ?? ''}${choice?.message.refusal ?? ''}`,
        calls: (choice?.message.tool_calls ?? []).flatMap((call) =>
          call.type === 'function'
            ? {
                id: call.id,
                name: call.function.name,
                arguments: JSON.parse(call.function.arguments),
              }
            : [],
        ),
        reason: choice?.finish_reason,
      }).toEqual({ text: meaning.text, calls: meaning.calls, reason: meaning.reason });
    },
  );

  it.each(Object.entries(transcripts))(
    'reads "%s" of anthropic as we do, and sends key and revision as we do',
    async (transcript, meaning) => {
      const sent: unknown[] = [];
      upstream = await dialects.anthropic.start((res) => {
        const { authorization, 'anthropic-version': version } = res.req.headers;
        sent.push({ authorization, version, path: res.req.url });
        return stream(golden(transcript, 'anthropic'))(res);
      });
      await meaningOf(open('anthropic', upstream.baseUrl));
      const client = new Anthropic({ baseURL: upstream.baseUrl, apiKey: KEY, maxRetries: 0 });
      const message = await client.messages
        .stream({
          model: 'm',
          max_tokens: 100,
          messages: [{ role: 'user', content: [{ type: 'text', text: 'go' }] }],
        })
        .finalMessage();
      expect(sent).toHaveLength(2);
      expect(sent[0]).toEqual(sent[1]);
      const words = message.content.map((block) => (block.type === 'text' ? block.text : ''));
      const { usage } = message;
      expect({
        text: words.join('') || message.stop_details?.explanation,
        calls: message.content.flatMap((block) =>
          block.type === 'tool_use'
            ? { id: block.id, name: block.name, arguments: block.input }
            : [],
        ),
        tokens: [
          usage.input_tokens +
            (usage.cache_creation_input_tokens ?? 0) +
            (usage.cache_read_input_tokens ?? 0),
          usage.output_tokens,
        ],
      }).toEqual({ text: meaning.text, calls: meaning.calls, tokens: meaning.tokens });
    },
  );
});
