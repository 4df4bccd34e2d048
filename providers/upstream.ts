import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

import type { Clock } from '../src/core/clock.ts';
import { EgressRefused } from '../src/core/egress/egress.ts';
import { AppError, TooManyRequests, Unavailable, Unprocessable } from '../src/core/errors.ts';
import type { ModelDelta, ProviderOptions } from './provider.ts';

/** Silence after which the provider counts as gone; the loop's own deadline stands above it. */
const SILENCE_MS = 60_000;
/** A vendor that answers in one piece, or reasons first, is silent until it has thought to the end. */
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
  /** The model thinks before its first word. */
  reasons?: boolean;
};

type Read = (response: IncomingMessage, heard: () => void) => AsyncIterable<ModelDelta>;

/** How a dialect reads its answers: server-sent, or one JSON object from vendors that do not stream. */
export type Readers = { events: Read; json: Read };

/**
 * Posts a call over node:http and yields what the dialect makes of the answer. Redirects are refused,
 * nothing is retried. Throws AppErrors that never hold the key, and `signal`'s reason.
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
  // Stays on: the request may fail a second time while the body is read, which the reader reports.
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
  // The platform reads numbers as years, and more; only the form of RFC 9110, 5.6.7 is a date here.
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

/** What a status other than 200 means to our caller; the vendor's own text goes to the log only. */
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

/** Network failures become 503; what is already in our vocabulary stays. */
export function known(error: unknown): unknown {
  if (error instanceof EgressRefused) {
    return new Unavailable('The address of the model provider is not allowed', error);
  }
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const isNetwork = 'code' in error || error.name === 'AbortError';
  return isNetwork ? new Unavailable('The model provider does not answer', error) : error;
}

/** A vendor may repeat the key it was sent: what goes to the log must not. */
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
