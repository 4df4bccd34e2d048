import { setTimeout as sleep } from 'node:timers/promises';

import OpenAI from 'openai';

import { questionOf } from './vendor.ts';

const TIMEOUT_MS = 60_000;
const MAX_TRIES = 3;

/** How a person's program asks, and when it leaves. */
export type Manner = {
  form: 'chat' | 'responses';
  streams: boolean;
  /** null: it names none. */
  conversationId: string | null;
  /** `own`: as OpenAI's library repeats; `stubborn`: whatever an answer says about it, as some libraries do. */
  retries: 'own' | 'stubborn';
  /** It leaves after so many events, or milliseconds where it does not stream; null: it stays. */
  leavesAfter: number | null;
  /** Where it left, its person asks the same again. */
  asksAgain: boolean;
};

/** What came of asking. */
export type Heard = {
  end: 'whole' | 'error' | 'left';
  /** The text of a whole answer. */
  text: string;
  /** Everything that came over the wire, of all tries. */
  wire: string;
};

/** Asks for a wish as people's programs do. */
export async function ask(
  { base, headers }: { base: string; headers: Record<string, string> },
  wish: number,
  manner: Manner,
): Promise<Heard> {
  const wire: string[] = [];
  const isStubborn = manner.retries === 'stubborn';
  const client = new OpenAI({
    baseURL: `${base}/api/v3/agentic`,
    apiKey: 'unused',
    maxRetries: isStubborn ? 0 : 2,
    timeout: TIMEOUT_MS,
    defaultHeaders: { ...headers, Authorization: null },
    fetch: listening(wire),
  });
  const once = async (leavesAfter: number | null): Promise<Omit<Heard, 'wire'>> => {
    const leaving = new AbortController();
    try {
      const text = await askOnce(client, wish, { ...manner, leavesAfter }, leaving);
      return { end: leaving.signal.aborted ? 'left' : 'whole', text };
    } catch (error) {
      if (leaving.signal.aborted) return { end: 'left', text: '' };
      // Its own fault would be hidden as an error of the platform.
      if (!(error instanceof OpenAI.OpenAIError)) throw error;
      return { end: 'error', text: '' };
    }
  };
  let heard = await once(manner.leavesAfter);
  const most = isStubborn ? MAX_TRIES : 1;
  for (let tries = 1; tries < most && heard.end === 'error'; tries += 1) heard = await once(null);
  if (heard.end === 'left' && manner.asksAgain) {
    await sleep(20);
    heard = await once(null);
  }
  return { ...heard, wire: wire.join('\n') };
}

async function askOnce(
  client: OpenAI,
  wish: number,
  { form, streams, conversationId, leavesAfter }: Manner,
  leaving: AbortController,
): Promise<string> {
  const { signal } = leaving;
  const headers = conversationId === null ? {} : { 'x-conversation-id': conversationId };
  const model = 'fake-1';
  if (leavesAfter !== null && !streams)
    void sleep(leavesAfter, undefined, { ref: false }).then(() => leaving.abort());
  let events = 0;
  const count = (): void => {
    events += 1;
    if (leavesAfter !== null && streams && events > leavesAfter) leaving.abort();
  };
  if (leavesAfter === 0 && streams) leaving.abort();
  if (form === 'chat') {
    const body = { model, messages: [{ role: 'user', content: questionOf(wish) }] } as const;
    const given = { ...body, messages: [...body.messages] };
    if (!streams) {
      const { choices } = await client.chat.completions.create(given, { headers, signal });
      return choices[0]?.message.content ?? '';
    }
    const stream = client.chat.completions.stream(given, { headers, signal }).on('chunk', count);
    return (await stream.finalContent()) ?? '';
  }
  const given = { model, input: questionOf(wish), store: conversationId !== null };
  if (!streams) return (await client.responses.create(given, { headers, signal })).output_text;
  const stream = client.responses.stream(given, { headers, signal }).on('event', count);
  const response = await stream.finalResponse();
  if (response.status === 'failed') throw new OpenAI.OpenAIError('the response failed');
  return response.output_text;
}

/** The fetch of Node that also keeps what comes. */
const listening =
  (wire: string[]): typeof fetch =>
  async (input, init) => {
    const response = await fetch(input, init);
    if (!response.body) return response;
    const at = wire.push('') - 1;
    const decoder = new TextDecoder();
    const heard = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        wire[at] += decoder.decode(bytes, { stream: true });
        controller.enqueue(bytes);
      },
    });
    const { status, statusText, headers } = response;
    return new Response(response.body.pipeThrough(heard), { status, statusText, headers });
  };
