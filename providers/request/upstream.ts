import type { ClientRequest, IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';

import { EgressRefused } from '../../src/kernel/egress/egress.ts';
import { onDemandAgents } from '../../src/kernel/egress/on-demand.ts';
import { TunnelFailed } from '../../src/kernel/egress/tunnel.ts';
import { AppError, Unavailable } from '../../src/kernel/errors.ts';
import { request as httpRequest } from '../../src/kernel/request/http.ts';
import type { Reading } from './answer.ts';
import { type ExchangeWatch, TimedOut, watchExchange } from './limits.ts';
import type { ModelDelta, ModelTool, ProviderOptions, Say } from './provider.ts';
import { refused, VendorRefusal } from './refusal.ts';
import { wordsOf } from './words.ts';

const MAX_CAUSES = 8;
const MIN_SECRET = 8;
/** For the usage after the last word, and the end of the stream. */
const USAGE_MS = 2_000;

/** One request of a dialect: path below the base URL, headers that carry the key, body as JSON. */
export type Call = {
  path: string;
  headers: Record<string, string>;
  body: Record<string, unknown> & { stream?: boolean | null };
  /** The model reasons before its first output. */
  reasons?: boolean;
  /** A model may write calls of these into its text. */
  tools?: readonly ModelTool[];
  /** Its text begins in a thought. */
  thinksFirst?: boolean;
};

type Read = (response: IncomingMessage, reading: Reading, say?: Say) => AsyncIterable<ModelDelta>;

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
  say?: Say,
): AsyncGenerator<ModelDelta> {
  signal.throwIfAborted();
  const thinks = call.body.stream === false || call.reasons === true;
  const watch = watchExchange(options.clock, options.timeouts ?? {}, thinks);
  const any = AbortSignal.any([signal, watch.signal]);
  let cancelLingering = (): void => {};
  /** A whole answer does not wait for a vendor that keeps its connection open. */
  const lingering = (response: IncomingMessage): Pick<Reading, 'complete' | 'isComplete'> => {
    let isComplete = false;
    return {
      isComplete: () => isComplete,
      complete() {
        if (isComplete) return;
        isComplete = true;
        cancelLingering = options.clock.after(USAGE_MS, () => response.destroy());
      },
    };
  };
  try {
    const response = await send(options, call, watch, any);
    watch.received();
    const { statusCode = 0 } = response;
    if (statusCode < 200 || statusCode > 299) throw await refused(response, options.clock);
    const isJson = /\bjson\b/i.test(response.headers['content-type'] ?? '');
    const words = wordsOf({
      tools: call.tools ?? [],
      sent: call.body,
      thinksFirst: call.thinksFirst === true,
    });
    const { received } = watch;
    const reading: Reading = { received, isPlain: words.isPlain, ...lingering(response) };
    const spoken = say && watched(watch, words, say);
    for await (const delta of (isJson ? json : events)(response, reading, spoken))
      for (const word of words.take(delta)) {
        if (word.type !== 'reasoning') watch.spoke();
        yield word;
      }
  } catch (error) {
    signal.throwIfAborted();
    const broken = watch.broken();
    const cause =
      broken === null ? error : new Unavailable(`${GONE}: ${broken}`, new TimedOut(broken));
    if (cause instanceof AppError && cause.cause instanceof VendorRefusal)
      cause.cause.sent = call.body;
    throw withoutKey(known(cause), options);
  } finally {
    cancelLingering();
    watch.stop();
  }
}

const watched =
  (watch: ExchangeWatch, words: ReturnType<typeof wordsOf>, say: Say): Say =>
  (text) => {
    watch.spoke();
    const whole = words.plain(text);
    return whole === '' ? undefined : say(whole);
  };

/** For addresses that the operator has set. */
const direct = onDemandAgents();

/** Posts the request and resolves with the response head. */
function send(
  options: ProviderOptions,
  { path, headers, body }: Call,
  watch: ExchangeWatch,
  signal: AbortSignal,
): Promise<IncomingMessage> {
  const text = JSON.stringify(body);
  const sent = {
    method: 'POST',
    headers: {
      ...headers,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
      accept: 'text/event-stream',
    },
  };
  const outgoing = requestTo(options, addressOf(options.baseUrl, path), { ...sent, signal });
  watch.connecting(outgoing, Boolean(options.proxy));
  return answerTo(outgoing, text);
}

/** The address of an endpoint below a base URL, which may have a query (`?api-version=…`). */
function addressOf(baseUrl: string, path: string): URL {
  const url = new URL(baseUrl);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}${path}`;
  return url;
}

/** Base URL and query apart, for a vendor's client that appends its paths. */
export function partsOf(baseUrl: string): { base: string; search: string } {
  const url = new URL(baseUrl);
  const { search } = url;
  url.search = '';
  return { base: url.href.replace(/\/+$/, ''), search };
}

/** A request on the way that its options allow: direct, behind the egress guard, through the proxy. */
export function requestTo(
  { egress, proxy }: ProviderOptions,
  url: URL,
  given: { method: string; headers: Record<string, string | number>; signal: AbortSignal },
): ClientRequest {
  const isSecure = url.protocol === 'https:';
  const way = !egress
    ? { agent: direct[isSecure ? 'https' : 'http'] }
    : proxy
      ? egress.through(proxy, url, given.signal)
      : { agent: egress.agentFor(url) };
  return (isSecure ? httpsRequest : httpRequest)(url, { ...given, ...way });
}

/** Ends the request and resolves with the head of the response. */
export function answerTo(outgoing: ClientRequest, text = ''): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  // The listener stays: the request may fail again while the body is read, which the reader reports.
  outgoing.on('response', resolve).on('error', reject).end(text);
  return promise;
}

const GONE = 'The model provider does not answer';

/** Network errors and refused addresses become Unavailable (503); other errors stay as they are. */
export function known(error: unknown): unknown {
  if (error instanceof EgressRefused) {
    return new Unavailable('The address of the model provider is not allowed', error);
  }
  if (error instanceof TunnelFailed) return new Unavailable(error.message, error);
  if (error instanceof AppError || !(error instanceof Error)) return error;
  const isNetwork = 'code' in error || error.name === 'AbortError';
  return isNetwork ? new Unavailable(GONE, error) : error;
}

/** Removes the key, the values of headers and the login of the proxy from an error and its causes before they are logged: a vendor may repeat them. */
export function withoutKey(
  error: unknown,
  { apiKey, headers = {}, proxy }: Pick<ProviderOptions, 'apiKey' | 'headers' | 'proxy'>,
): unknown {
  // A short value is a word of any text.
  const long = [...Object.values(headers), ...loginIn(proxy)].filter(
    ({ length }) => length >= MIN_SECRET,
  );
  const secrets = [apiKey, ...long].filter((secret) => secret !== '');
  const without = (text: string): string =>
    secrets.reduce((left, secret) => left.replaceAll(secret, '***'), text);
  const has = (text: string): boolean => secrets.some((secret) => text.includes(secret));
  let current: unknown = error;
  for (let depth = 0; current instanceof Error && depth < MAX_CAUSES; depth += 1) {
    if (current.stack && has(current.stack)) current.stack = without(current.stack);
    // The message of a DOMException, such as an AbortError, cannot be set.
    if (has(current.message)) current.message = without(current.message);
    if (current instanceof VendorRefusal) current.text = without(current.text);
    current = current.cause;
  }
  return error;
}

/** Forms of a login in which a proxy may repeat it. */
const loginIn = (proxy: ProviderOptions['proxy']): string[] =>
  proxy
    ? [
        Buffer.from(proxy.login).toString('base64'),
        proxy.login,
        proxy.login.slice(proxy.login.indexOf(':') + 1),
      ]
    : [];
