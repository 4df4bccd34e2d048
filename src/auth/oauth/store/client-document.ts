import type { AdapterPayload } from 'oidc-provider';
import { z } from 'zod';

import { acrossTenants } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { EgressRefused } from '../../../kernel/egress/egress.ts';
import { sourceNow } from '../../../kernel/request/called-from.ts';
import { slot } from '../../../kernel/slot.ts';
import { TtlCache } from '../../../kernel/ttl-cache.ts';
import { queueAudit } from '../../audit/background.ts';
import { SourceLimit } from '../../login/window.ts';
import { Described, findDynamicClient, hostsOf, metadataOf, storeClient } from './registration.ts';

const MAX_BYTES = 64 * 1024;
const FETCH_MS = 5_000;
/** For how long a document is taken as it is, where its host says nothing, and at least and at most. */
const FRESH_S = { usual: 3_600, least: 60, most: 86_400 };
/** For how long a document that could not be had is not asked for again. */
const FAILED_MS = 30_000;
const MAX_FAILED = 1_000;

/** Documents fetched within a minute: anyone can name a client. */
const MOST = { source: 30, all: 300, free: 5 };

const FETCH_LIMIT = slot((clock) => new SourceLimit(clock, MOST));
const LOOKS = slot(() => new Map<string, Promise<AdapterPayload>>());
/** For how long documents are not announced after a host was away: clients register themselves then. */
const AWAY_MS = 3_600_000;
const AWAY = slot((clock) => new TtlCache<true>(clock, AWAY_MS, 1));
const FAILED = slot((clock) => new TtlCache<UnusableClient>(clock, FAILED_MS, MAX_FAILED));

/** Why the client of a document cannot be used now, in a sentence for its user. */
export class UnusableClient extends Error {
  /** Whether the document may be as it was: its host did not answer. */
  readonly isAway: boolean;
  constructor(reason: string, isAway = false) {
    super(reason);
    this.isAway = isAway;
  }
}

/** What is used of a document, which has no secret. */
const Document = Described.extend({
  client_id: z.string(),
  token_endpoint_auth_method: z.literal('none').nullish(),
  client_secret: z.undefined().optional(),
});
const Stored = z.looseObject({ fresh_until_ms: z.number() });

/**
 * The client that an address describes (draft-ietf-oauth-client-id-metadata-document, MCP 2025-11-25 Authorization).
 * Its document is fetched from the hosts of `SVC_OAUTH_CLIENT_HOSTS` alone, without redirects, and stored for all
 * processes; while its host is away the stored one counts. Throws UnusableClient.
 */
export async function clientByDocument(app: App, clientId: string): Promise<AdapterPayload> {
  const wrong = wrongAddress(app, clientId);
  if (wrong !== null) throw new UnusableClient(wrong);
  // Those that come together share the look into the database too: one after it would fetch again.
  const looks = app.of(LOOKS);
  const looking =
    looks.get(clientId) ?? storedOrFetched(app, clientId).finally(() => looks.delete(clientId));
  looks.set(clientId, looking);
  return looking;
}

async function storedOrFetched(app: App, clientId: string): Promise<AdapterPayload> {
  const stored = await acrossTenants(app.db, 'oauth', (q) => findDynamicClient(app, q, clientId));
  const freshUntilMs = Stored.safeParse(stored).data?.fresh_until_ms ?? 0;
  if (stored && freshUntilMs > app.clock.now()) return stored;
  const failed = app.of(FAILED).get(clientId);
  const source = sourceNow() ?? '';
  // Not remembered: a source above its limit must not keep others out.
  if (!failed && app.of(FETCH_LIMIT).take(source) > 0) {
    if (stored) return stored;
    throw new UnusableClient('Too many documents of clients were asked for, try again later');
  }
  try {
    if (failed) throw failed;
    return await fetchClient(app, clientId, { source, isNew: stored === undefined });
  } catch (error) {
    if (!(error instanceof UnusableClient)) throw error;
    if (!failed) app.of(FAILED).set(clientId, error);
    if (stored && error.isAway) return stored;
    throw error;
  }
}

/** Whether clients may rely on it now: where no host can be reached they have to register themselves. */
export const takesDocuments = (app: App): boolean =>
  app.config.oauthClientHosts.length > 0 && app.of(AWAY).get('any') === undefined;

/** The host of a document's address, as people read it. */
export const documentHost = (clientId: string): string => new URL(clientId).host;

/** Why an address is not one of a document; null for one that may be fetched. */
function wrongAddress({ config }: App, clientId: string): string | null {
  const url = URL.parse(clientId);
  // What a URL parser would change, as `/../` or a host in capitals, has a second spelling.
  if (!url || url.href !== clientId || url.pathname === '/' || /[#@\\]/.test(clientId))
    return 'The id of a client that is an address needs https, a host in lower case and a path, without user or fragment';
  const { oauthClientHosts: hosts } = config;
  if (hosts.includes('*') || hosts.includes(url.host)) return null;
  return `Clients of ${url.host} are not taken here; an operator can name it in SVC_OAUTH_CLIENT_HOSTS`;
}

async function fetchClient(
  app: App,
  clientId: string,
  { source, isNew }: { source: string; isNew: boolean },
): Promise<AdapterPayload> {
  const { text, freshS } = await fetchText(app, clientId);
  app.of(AWAY).delete('any');
  const metadata = { client_id: clientId, ...read(text, clientId) };
  const now = app.clock.now();
  const stored = { ...metadata, fresh_until_ms: now + freshS * 1_000 };
  await acrossTenants(app.db, 'oauth', (q) => storeClient(app, q, stored, source));
  if (isNew)
    queueAudit(app, {
      who: null,
      credential: '',
      action: 'CREATE',
      resourceType: 'OAUTH_CLIENT',
      resourceId: clientId,
      resourceName: metadata.client_name,
      status: 'SUCCESS',
      errorCode: '',
      detail: { door: 'oauth', hosts: hostsOf(metadata.redirect_uris) },
      source,
      at: now,
    });
  return stored;
}

async function fetchText(app: App, clientId: string): Promise<{ text: string; freshS: number }> {
  const abort = new AbortController();
  const release = app.clock.after(FETCH_MS, () => abort.abort());
  try {
    const headers = { accept: 'application/json', 'user-agent': 'svc-center-auth' };
    const init = { headers, signal: abort.signal };
    const { status, headers: given, body } = await app.egress.client.fetch(clientId, init);
    if (status !== 200) {
      await body?.cancel();
      const isAway = status >= 500 || status === 429 || status === 408;
      throw new UnusableClient(`The document of the client was answered with ${status}`, isAway);
    }
    return { text: await textOf(body), freshS: freshSecondsOf(given.get('cache-control')) };
  } catch (error) {
    if (error instanceof UnusableClient) throw error;
    if (error instanceof EgressRefused) throw new UnusableClient(error.message);
    app.of(AWAY).set('any', true);
    const then = 'a program that connects anew now registers itself';
    throw new UnusableClient(`The document of the client could not be fetched; ${then}`, true);
  } finally {
    release();
  }
}

async function textOf(body: Response['body']): Promise<string> {
  const pieces: Uint8Array[] = [];
  let length = 0;
  for await (const piece of body ?? []) {
    length += piece.length;
    if (length > MAX_BYTES) throw new UnusableClient('The document of the client is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString();
}

/** RFC 9111 5.2.2. */
function freshSecondsOf(cacheControl: string | null): number {
  const words = (cacheControl ?? '').toLowerCase();
  if (/\bno-(store|cache)\b/.test(words)) return FRESH_S.least;
  const [, seconds = FRESH_S.usual] = /\bmax-age=(\d{1,9})/.exec(words) ?? [];
  return Math.min(Math.max(Number(seconds), FRESH_S.least), FRESH_S.most);
}

/** Throws UnusableClient for what is not the document of a public client with this id. */
function read(text: string, clientId: string) {
  const { data, error } = Document.safeParse(jsonOf(text));
  if (!data) {
    const [issue] = error?.issues ?? [];
    const where = issue?.path.join('.') || 'it';
    throw new UnusableClient(`The document of the client is wrong: ${where}: ${issue?.message}`);
  }
  if (data.client_id !== clientId)
    throw new UnusableClient('The document of the client names another client_id');
  const metadata = metadataOf(data);
  if (typeof metadata === 'string')
    throw new UnusableClient(`The document of the client is wrong: ${metadata}`);
  return metadata;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
