import { createParser } from 'eventsource-parser';
import { z } from 'zod';

import { MODEL_HEALTH } from '../../../../src/agentic/provider/health.ts';
import { withoutFacts } from '../../../../src/agentic/session/facts.ts';
import * as anthropic from '../../neighbours/anthropic-model.ts';
import { type FakeModel, type Reply, say, startFake, startModel } from '../../neighbours/model.ts';
import { addProvider } from '../../neighbours/providers.ts';
import type { Session } from '../../people/session.ts';
import { startWorld } from '../../world/app.ts';
import type { FreshDatabase } from '../../world/database.ts';
import { anthropicCalls } from './anthropic-calls.ts';
import { anthropicTexts } from './anthropic.ts';
import { type Behaviour, SECOND, TEXT } from './behaviour.ts';
import { type Heard, type Returned, wrongWith } from './judge.ts';
import { openAiCalls } from './openai-calls.ts';
import { openAiTexts } from './openai.ts';

export const dialects = ['OPENAI_COMPATIBLE', 'ANTHROPIC'] as const;
export type Dialect = (typeof dialects)[number];

const AGENTIC = '/api/v3/agentic';
/** Fewer than open the breaker of a provider. */
const AT_ONCE = 6;
/** Longer than the wait for the usage after an answer. */
const SILENCE_MS = 5_000;
const TIMEOUT_MS = 60_000;

export const behavioursOf = (dialect: Dialect): Behaviour[] =>
  dialect === 'ANTHROPIC'
    ? [...anthropicTexts(), ...anthropicCalls()]
    : [...openAiTexts(), ...openAiCalls()];

/** One behaviour heard by one kind of client. */
export type Trial = { behaviour: Behaviour; client: 'events' | 'JSON'; wrong: string | null };

/** Asks a vendor that behaves in each of these ways, with a second provider beside it, by a client that streams and one that does not. */
export async function meet(
  dialect: Dialect,
  behaviours: readonly Behaviour[],
  database?: FreshDatabase,
): Promise<Trial[]> {
  const returned = new Map<number, Returned[]>();
  const vendor = await vendorOf(dialect, behaviours, returned);
  const second = await startModel(() => say(SECOND));
  const hosts = [vendor, second].map(({ baseUrl }) => new URL(baseUrl).host);
  const world = await startWorld({
    environment: { SVC_EGRESS_ALLOW: hosts.join(','), SVC_LOG_LEVEL: 'silent' },
    ...(database ? { database } : {}),
  });
  try {
    const { admin } = world;
    const providerId = await addProvider(admin, {
      name: 'zoo',
      providerType: dialect,
      baseUrl: vendor.baseUrl,
      timeouts: { idleMs: SILENCE_MS },
    });
    const add = (model: string, more: object) =>
      admin.data(`${AGENTIC}/model/config/add`, { model, providerId, ...more });
    await add('zoo', {});
    await add('zoo-whole', { stream: false });
    const other = await addProvider(admin, { name: 'second', baseUrl: second.baseUrl });
    await add('second', { providerId: other, fallbackOrder: 1 });
    const trials: Trial[] = [];
    const next = behaviours.entries();
    const lane = async (): Promise<void> => {
      for (const [at, behaviour] of next)
        for (const client of ['events', 'JSON'] as const) {
          returned.delete(at);
          const model = behaviour.streams === false ? 'zoo-whole' : 'zoo';
          const heard = await ask(admin, model, at, client);
          world.app.of(MODEL_HEALTH).breakers.clear();
          const came = returned.get(at) ?? null;
          trials.push({ behaviour, client, wrong: wrongWith(behaviour, heard, came) });
        }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, lane));
    return trials;
  } finally {
    await world.stop();
    await vendor.stop();
    await second.stop();
  }
}

const questionOf = (at: number): string => `Behaviour ${at}: how warm is hall 4?`;
const behaviourIn = (text: string): number => Number(/Behaviour (\d+):/.exec(text)?.[1] ?? -1);

/** The vendor: the behaviour that a question names, and after its calls the answer. */
async function vendorOf(
  dialect: Dialect,
  behaviours: readonly Behaviour[],
  returned: Map<number, Returned[]>,
): Promise<FakeModel<unknown>> {
  const replyTo = (question: string, results: Returned[] | null, answer: Reply): Reply => {
    const at = behaviourIn(question);
    if (results === null) return behaviours[at]?.reply ?? ((res) => void res.destroy());
    returned.set(at, results);
    return answer;
  };
  if (dialect === 'ANTHROPIC')
    return anthropic.startAnthropicModel(({ messages }) => {
      const calls = messages.flatMap(({ content }) =>
        content.filter((part) => part.type === 'tool_use'),
      );
      const results = messages.flatMap(({ content }) =>
        content.filter((part) => part.type === 'tool_result'),
      );
      const question = messages[0]?.content.find((part) => part.type === 'text')?.text ?? '';
      const came = calls.map(({ id, name, input }) => ({
        name,
        arguments: input,
        ok: isResult(JSON.stringify(results.filter((one) => one.tool_use_id === id))),
      }));
      return replyTo(question, calls.length === 0 ? null : came, anthropic.say(TEXT));
    });
  return startFake(
    {
      read: (body) => Asked.parse(body),
      keyOf: ({ authorization }) => authorization,
      models: { data: [] },
      refusal: (message) => ({ error: { message } }),
    },
    ({ messages }) => {
      const calls = messages.flatMap((message) => message.tool_calls ?? []);
      const question = messages.find(({ role }) => role === 'user')?.content ?? '';
      const resultOf = (id: string): string =>
        messages.flatMap((one) => (one.tool_call_id === id ? [one.content] : [])).join();
      const came = calls.map(({ id, function: called }) => ({
        name: called.name,
        arguments: parsed(called.arguments),
        ok: isResult(resultOf(id)),
      }));
      return replyTo(question, calls.length === 0 ? null : came, say(TEXT));
    },
  );
}

const Called = z.object({
  id: z.string(),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
/** What the vendor reads of a request. */
const Asked = z.object({
  messages: z.array(
    z.object({
      role: z.string(),
      content: z.string().nullish(),
      tool_calls: z.array(Called).optional(),
      tool_call_id: z.string().optional(),
    }),
  ),
});

const isResult = (text: string): boolean => text.includes('total') && !text.includes('error');

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

async function ask(
  { base, headers }: Session,
  model: string,
  at: number,
  client: Trial['client'],
): Promise<Heard> {
  const response = await fetch(`${base}${AGENTIC}/chat/completions`, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json' },
    body: JSON.stringify({
      model,
      stream: client === 'events',
      messages: [{ role: 'user', content: questionOf(at) }],
    }),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  const body = await response.text();
  const heard: Heard = { status: response.status, text: '', finish: null, error: null };
  const take = (data: string): void => {
    if (data !== '[DONE]') hear(heard, JSON.parse(data));
  };
  if (client === 'events' && response.ok)
    createParser({ onEvent: ({ data }) => take(data) }).feed(body);
  else take(body);
  return { ...heard, text: withoutFacts(heard.text) };
}

type Given = {
  error?: { message?: string };
  choices?: {
    delta?: { content?: string; refusal?: string };
    message?: { content?: string | null; refusal?: string | null };
    finish_reason?: string | null;
  }[];
};

/** Adds a chunk or a completion to what was heard. */
function hear(heard: Heard, given: Given): void {
  if (given.error) heard.error ??= JSON.stringify(given.error);
  for (const { delta, message, finish_reason } of given.choices ?? []) {
    const said = delta ?? message;
    heard.text += `${said?.content ?? ''}${said?.refusal ?? ''}`;
    heard.finish ??= finish_reason ?? null;
  }
}
