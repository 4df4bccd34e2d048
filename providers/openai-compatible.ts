import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

import type { Clock } from '../src/core/clock.ts';
import { TooManyRequests, Unavailable, Unprocessable } from '../src/core/errors.ts';
import { readAnswer, readStream } from './openai-answer.ts';
import type { ModelMessage, ModelRequest, OpenProvider, ProviderOptions } from './provider.ts';

/** Silence after which the provider counts as gone; the loop's own deadline stands above it. */
const SILENCE_MS = 60_000;
const MAX_ERROR_BODY = 4_096;

/** Chat completions as OpenAI defined them, always streamed, over node:http. */
export const openAiCompatible: OpenProvider = (options) => ({
  async *complete(request, signal) {
    signal.throwIfAborted();
    const silence = watch(options.clock);
    const any = AbortSignal.any([signal, silence.signal]);
    try {
      const response = await send(options, request, any);
      silence.heard();
      if (response.statusCode !== 200) throw await refusal(response);
      const isJson = /\bjson\b/i.test(response.headers['content-type'] ?? '');
      yield* isJson ? readAnswer(response, silence.heard) : readStream(response, silence.heard);
    } catch (error) {
      signal.throwIfAborted();
      throw known(error);
    } finally {
      silence.stop();
    }
  },
});

/** Posts the request and resolves with the response head. */
async function send(
  { baseUrl, apiKey }: ProviderOptions,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}/chat/completions`);
  const body = JSON.stringify(toWire(request));
  const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    signal,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      accept: 'text/event-stream',
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // Stays on: the request may fail a second time while the body is read, which the reader reports.
  outgoing.on('response', resolve).on('error', reject).end(body);
  return promise;
}

function toWire(request: ModelRequest): Record<string, unknown> {
  const { model, messages, tools, temperature, maxTokens } = request;
  return {
    model,
    messages: messages.map(messageToWire),
    stream: true,
    stream_options: { include_usage: true },
    ...(temperature === undefined ? {} : { temperature }),
    ...(maxTokens === undefined ? {} : { max_tokens: maxTokens }),
    ...(tools.length === 0
      ? {}
      : { tools: tools.map((tool) => ({ type: 'function', function: tool })) }),
  };
}

function messageToWire(message: ModelMessage): Record<string, unknown> {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role !== 'assistant' || !message.toolCalls?.length) {
    return { role: message.role, content: message.content };
  }
  return {
    role: 'assistant',
    content: message.content || null,
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
    })),
  };
}

/** What a status other than 200 means to our caller; the vendor's own text goes to the log only. */
async function refusal(response: IncomingMessage): Promise<Error> {
  const status = response.statusCode ?? 0;
  const cause = new Error(`HTTP ${status}: ${await beginning(response)}`);
  if (status === 429) {
    const seconds = Number(response.headers['retry-after']);
    return new TooManyRequests(
      'The model provider is over its rate limit',
      seconds > 0 && seconds <= 3600 ? Math.ceil(seconds) : 30,
    );
  }
  if (status >= 300 && status < 400) {
    return new Unavailable('The model provider redirects, which is refused', cause);
  }
  if (status === 401 || status === 403) {
    return new Unavailable('The model provider refused the configured key', cause);
  }
  if (status === 404) return new Unavailable('The model provider does not know the model', cause);
  if (status === 400 || status === 413 || status === 422) {
    return new Unprocessable('The model provider refused the request', { status });
  }
  return new Unavailable('The model provider failed', cause);
}

async function beginning(response: IncomingMessage): Promise<string> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > MAX_ERROR_BODY) break;
  }
  return text.slice(0, MAX_ERROR_BODY);
}

/** Network failures become 503; what is already in our vocabulary stays. */
function known(error: unknown): unknown {
  const isNetwork = error instanceof Error && ('code' in error || error.name === 'AbortError');
  const isOurs = error instanceof Error && 'status' in error;
  return isNetwork && !isOurs
    ? new Unavailable('The model provider does not answer', error)
    : error;
}

/** A signal that fires after `SILENCE_MS` without `heard()`. */
function watch(clock: Clock) {
  const controller = new AbortController();
  const arm = () => clock.after(SILENCE_MS, () => controller.abort());
  let cancel = arm();
  return {
    signal: controller.signal,
    heard: () => {
      cancel();
      cancel = arm();
    },
    stop: () => cancel(),
  };
}
