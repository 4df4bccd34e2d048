import { TunnelFailed } from '../../src/kernel/egress/tunnel.ts';
import { AppError, Unavailable } from '../../src/kernel/errors.ts';
import { watch } from './limits.ts';
import type { ProviderOptions } from './provider.ts';
import { refusal, VendorRefusal, waitOf } from './refusal.ts';
import { answerTo, known, partsOf, requestTo, withoutKey } from './upstream.ts';

const LIST_MS = 15_000;
const MAX_LIST = 1024 * 1024;
const MAX_MODELS = 200;
const MAX_ID = 128;

/** Options of both vendors' clients, explicit so that environment variables do not replace them. */
type Client = {
  baseURL: string;
  apiKey: string;
  maxRetries: 0;
  logLevel: 'off';
  fetch: (url: string | URL | Request, init?: RequestInit) => Promise<Response>;
};

/**
 * Lists models through the vendor's own client, off the hot path: at most 15 s and 1 MB, no retry, no
 * redirect. `headers` carry the key, as in `Call`. Throws the AppErrors of `exchange`.
 */
export async function listed(
  options: ProviderOptions,
  headers: Record<string, string>,
  signal: AbortSignal,
  list: (client: Client) => Promise<readonly { id: unknown }[]>,
): Promise<string[]> {
  signal.throwIfAborted();
  const limit = watch(options.clock, LIST_MS);
  const any = AbortSignal.any([signal, limit.signal]);
  const { base, search } = partsOf(options.baseUrl);
  const client: Client = {
    baseURL: base,
    // The clients refuse an empty key, or take one from the environment.
    apiKey: options.apiKey || 'none',
    maxRetries: 0,
    logLevel: 'off',
    fetch: (url) => bounded(options, withQuery(url, search), { headers, signal: any }),
  };
  try {
    const models = await list(client);
    return models
      .flatMap(({ id }) => (typeof id === 'string' && id.length <= MAX_ID ? id : []))
      .slice(0, MAX_MODELS);
  } catch (error) {
    signal.throwIfAborted();
    throw withoutKey(meaning(error, options), options);
  } finally {
    limit.stop();
  }
}

function withQuery(given: string | URL | Request, search: string): string {
  const url = new URL(given instanceof Request ? given.url : given);
  for (const [name, value] of new URLSearchParams(search)) url.searchParams.set(name, value);
  return url.href;
}

/**
 * Reads the whole body up to 1 MB, so that no client reads without end. The client's own headers are
 * dropped: they include the operator's *_CUSTOM_HEADERS, and the address may be a tenant's.
 */
async function bounded(
  options: ProviderOptions,
  address: string,
  { headers, signal }: { headers: Record<string, string>; signal: AbortSignal },
): Promise<Response> {
  const given = { method: 'GET', headers: { ...headers, accept: 'application/json' }, signal };
  const response = await answerTo(requestTo(options, new URL(address), given));
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of response) {
    parts.push(Buffer.from(part));
    size += parts.at(-1)?.length ?? 0;
    if (size > MAX_LIST) throw new Unavailable('The model provider sent too much');
  }
  const { statusCode: status = 0 } = response;
  const isEmpty = [204, 205, 304].includes(status);
  return new Response(isEmpty ? null : Buffer.concat(parts), {
    status,
    headers: Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
  });
}

/** Both clients set `status` when the vendor answered, and wrap errors of `fetch` as `cause`. */
function meaning(error: unknown, { clock }: ProviderOptions): unknown {
  if (!(error instanceof Error)) return error;
  const { cause } = error;
  if (cause instanceof AppError || cause instanceof TunnelFailed) return known(cause);
  const status = 'status' in error ? error.status : undefined;
  if (typeof status !== 'number') {
    return error instanceof AppError
      ? known(error)
      : new Unavailable('The model provider does not answer', error);
  }
  const headers = 'headers' in error && error.headers instanceof Headers ? error.headers : null;
  const after = {
    ms: headers?.get('retry-after-ms') ?? undefined,
    seconds: headers?.get('retry-after') ?? undefined,
  };
  const text = error.message.slice(0, 1_000);
  return refusal(new VendorRefusal(status, text, waitOf(after, clock)));
}
