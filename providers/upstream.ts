import type { IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

import type { Clock } from '../src/core/clock.ts';
import { EgressRefused } from '../src/core/egress/egress.ts';
import { AppError, TooManyRequests, Unavailable, Unprocessable } from '../src/core/errors.ts';
import { request as httpRequest } from '../src/core/http.ts';
import type { ModelDelta, ProviderOptions } from './provider.ts';

/** Silence after which the provider counts as gone; a turn also has its own deadline (loop.ts). */
const SILENCE_MS = 60_000;
/** The same for answers in one piece and reasoning models, which are silent while the model thinks. */
const THINKING_MS = 120_000;
const MAX_ERROR_BODY = 4_096;
const DEFAULT_RETRY_SECONDS = 30;
const MAX_RETRY_SECONDS = 3_600;
const MAX_CAUSES = 8;

/** One request of a dialect: path below the base URL, headers that carry the key, body as JSON. */
export type Call = {
  path: string;
  headers: Record<string, string>;
  body: { stream?: boolean | null };
  /** The model reasons before its first output. */
  reasons?: boolean;
};

type Read = (response: IncomingMessage, heard: () => void) => AsyncIterable<ModelDelta>;

/** Readers of a dialect: for server-sent events, and for one JSON object from vendors that do not stream. */
export type Readers = { events: Read; json: Read };

/**
 * Posts a call over node:http and yields the deltas of the dialect's reader. Redirects are refused, there
 * is no retry. Throws AppErrors that never hold the key, and `signal`'s reason.
 */
export async function* exchange(
  options: ProviderOptions,
  call: Call,
  { events, json }: Readers,
  signal: AbortSignal,
): AsyncGenerator<ModelDelta> {
  signal.throwIfAborted();
  const silence = watch(
    options.clock,
    call.body.stream === false || call.reasons ? THINKING_MS : SILENCE_MS,
  );
  const any = AbortSignal.any([signal, silence.signal]);
  try {
    const response = await send(options, call, any);
    silence.heard();
    if (response.statusCode !== 200) throw await refused(response, options.clock);
    const isJson = /\bjson\b/i.test(response.headers['content-type'] ?? '');
    yield* isJson ? json(response, silence.heard) : events(response, silence.heard);
  } catch (error) {
    signal.throwIfAborted();
    throw withoutKey(known(error), options.apiKey);
  } finally {
    silence.stop();
  }
}

/** Posts the request and resolves with the response head. */
async function send(
  { baseUrl, egress }: ProviderOptions,
  { path, headers, body }: Call,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const url = new URL(`${baseUrl.replace(/\/+$/, '')}${path}`);
  const text = JSON.stringify(body);
  const outgoing = (url.protocol === 'https:' ? httpsRequest : httpRequest)(url, {
    method: 'POST',
    signal,
    ...(egress ? { agent: egress.agentFor(url) } : {}),
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      accept: 'text/event-stream',
    },
  });
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // The listener stays: the request may fail again while the body is read, which the reader reports.
  outgoing.on('response', resolve).on('error', reject).end(text);
  return promise;
}

async function refused(response: IncomingMessage, clock: Clock): Promise<Error> {
  const status = response.statusCode ?? 0;
  const cause = new Error(`HTTP ${status}: ${await beginning(response)}`);
  return refusal(status, secondsOf(response.headers['retry-after'], clock), cause);
}

/** RFC 9110, 10.2.3: seconds or a date, at most an hour of either. */
export function secondsOf(retryAfter: string | undefined, clock: Clock): number {
  // `Date.parse` also takes plain numbers and other forms; only that of RFC 9110, 5.6.7 is a date here.
  const date = /^[A-Z][a-z]{2}, .{20} GMT$/.test(retryAfter ?? '')
    ? Date.parse(retryAfter ?? '')
    : Number.NaN;
  if (Number.isFinite(date)) {
    const seconds = Math.ceil((date - clock.now()) / 1_000);
    return Math.min(Math.max(1, seconds), MAX_RETRY_SECONDS);
  }
  const seconds = Number(retryAfter);
  return seconds > 0 && seconds <= MAX_RETRY_SECONDS ? Math.ceil(seconds) : DEFAULT_RETRY_SECONDS;
}

/** Error for a status other than 200; the vendor's own text goes to the log only. */
export function refusal(status: number, retryAfterSeconds: number, cause: Error): AppError {
  if (status === 429) {
    return new TooManyRequests(
      'The model provider is over its rate limit',
      retryAfterSeconds,
      cause,
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
    return new Unprocessable('The model provider refused the request', { status }, cause);
  }
  if (status === 529) return new Unavailable('The model provider is overloaded', cause);
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

/** Network errors and refused addresses become Unavailable (503); other errors stay as they are. */
export function known(error: unknown): unknown {
  if (error instanceof EgressRefused) {
    return new Unavailable('The address of the model provider is not allowed', error);
  }
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const isNetwork = 'code' in error || error.name === 'AbortError';
  return isNetwork ? new Unavailable('The model provider does not answer', error) : error;
}

/** Removes the key from an error and its causes before they are logged: a vendor may repeat it. */
export function withoutKey(error: unknown, apiKey: string): unknown {
  if (apiKey === '') return error;
  let current: unknown = error;
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth += 1) {
    if (current.stack?.includes(apiKey)) current.stack = current.stack.replaceAll(apiKey, '***');
    if (current.message.includes(apiKey)) {
      current.message = current.message.replaceAll(apiKey, '***');
    }
    current = current.cause;
  }
  return error;
}

/** A signal that fires after `ms` without `heard()`. */
export function watch(clock: Clock, ms: number) {
  const controller = new AbortController();
  const arm = () => clock.after(ms, () => controller.abort());
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
