import { randomBytes } from 'node:crypto';

import express, { type RequestHandler, type Router } from 'express';
import { sql } from 'kysely';
import type { AdapterPayload } from 'oidc-provider';
import { z } from 'zod';

import type { Queries } from '../../../db/connect.ts';
import { acrossTenants } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { Text } from '../../../kernel/input/text.ts';
import { slot } from '../../../kernel/slot.ts';
import { queueAudit } from '../../audit/background.ts';
import { SourceLimit } from '../../login/window.ts';
import { applicationType, TakenRedirectUris } from '../../permission/redirect-uri.ts';
import { jsonOf, refuse, sourceAt } from './body.ts';
import { REGISTRATION_PATH } from './paths.ts';

const KIND = 'Client';
const PREFIX = 'dyn_';
/** RFC 8628 3.4. */
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const DAY_MS = 24 * 60 * 60_000;
/** Lifetime of a registration without a grant. */
const UNUSED_MS = DAY_MS;
/** Longer than any grant, so that no refresh token outlives its client. */
const USED_MS = 31 * DAY_MS;
const MAX_UNUSED = 1_000;

/** Registrations within a minute. */
const MOST = { source: 60, all: 600, free: 5 };

/**
 * What a client says of itself that is used (RFC 7591 2); the rest is ignored, scopes among it: a client requests
 * scopes when a user can grant them.
 */
export const Described = z.object({
  client_name: Text(4_096).nullish(),
  redirect_uris: z.preprocess(
    (uris) => (Array.isArray(uris) && uris.length === 0 ? null : uris),
    TakenRedirectUris.nullish(),
  ),
  grant_types: z.array(z.string().max(100)).max(10).nullish(),
  response_types: z.array(z.string().max(100)).max(10).nullish(),
});

/**
 * The name, grants and redirect URIs of a client that describes itself; a sentence for one that cannot be let in. A
 * program without a browser needs no redirect URI (RFC 8628).
 */
export function metadataOf(described: z.output<typeof Described>) {
  const { client_name, redirect_uris, grant_types, response_types } = described;
  const asked = grant_types ?? ['authorization_code'];
  const isCode = asked.includes('authorization_code');
  const isDevice = asked.includes(DEVICE_GRANT);
  if ((!isCode && !isDevice) || (isCode && response_types && !response_types.includes('code')))
    return 'Only the authorization code grant and the device code grant are open to clients that register themselves';
  if (isCode && !redirect_uris) return 'redirect_uris: the authorization code grant needs one';
  const redirectUris = isCode ? [...new Set(redirect_uris)] : [];
  return {
    client_name: readable(client_name ?? ''),
    redirect_uris: redirectUris,
    application_type: applicationType(redirectUris),
    grant_types: [
      ...(isCode ? ['authorization_code'] : []),
      ...(isDevice ? [DEVICE_GRANT] : []),
      'refresh_token',
    ],
    response_types: isCode ? ['code' as const] : [],
    token_endpoint_auth_method: 'none' as const,
  };
}

const REGISTRATION_LIMIT = slot((clock) => new SourceLimit(clock, MOST));

/** Dynamic client registration, without login because every MCP client starts here (RFC 7591). */
export function registrationRouter(app: App): Router {
  return express
    .Router({ caseSensitive: true, strict: true })
    .options(REGISTRATION_PATH, (_request, response) => {
      response
        .set('Access-Control-Allow-Origin', '*')
        .set('Access-Control-Allow-Methods', 'POST')
        .set('Access-Control-Allow-Headers', 'content-type, mcp-protocol-version')
        .status(204)
        .end();
    })
    .post(REGISTRATION_PATH, register(app));
}

const register =
  (app: App): RequestHandler =>
  async (request, response) => {
    response.set('Access-Control-Allow-Origin', '*');
    const source = sourceAt(response);
    const waitSeconds = app.of(REGISTRATION_LIMIT).take(source);
    if (waitSeconds > 0) {
      response.set('Retry-After', String(waitSeconds)).status(429);
      response.json(refusal('temporarily_unavailable', 'Too many registrations, try again later'));
      return;
    }
    let body: unknown;
    try {
      body = await jsonOf(app, request, response);
    } catch (error) {
      return refuse(response, error, 'invalid_client_metadata');
    }
    const parsed = Described.safeParse(body);
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      const where = issue?.path.join('.') ?? '';
      const error = where.startsWith('redirect_uris.')
        ? 'invalid_redirect_uri'
        : 'invalid_client_metadata';
      response.status(400).json(refusal(error, `${where || 'body'}: ${issue?.message}`));
      return;
    }
    const metadata = metadataOf(parsed.data);
    if (typeof metadata === 'string') {
      response.status(400).json(refusal('invalid_client_metadata', metadata));
      return;
    }
    const client = await addDynamicClient(app, metadata, source);
    queueAudit(app, {
      who: null,
      credential: '',
      action: 'CREATE',
      resourceType: 'OAUTH_CLIENT',
      resourceId: client.client_id,
      resourceName: metadata.client_name,
      status: 'SUCCESS',
      errorCode: '',
      detail: { door: 'oauth', hosts: hostsOf(metadata.redirect_uris) },
      source,
      at: app.clock.now(),
    });
    response.status(201).json(client);
  };

/** To where its users are sent; a path or query may hold more than an address. */
export const hostsOf = (uris: readonly string[]): string[] => [
  ...new Set(uris.map((uri) => URL.parse(uri)?.host ?? '')),
];

/** A name fit for display: one line, at most 64 characters, no control or direction characters. */
function readable(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Z}\s]+/gu, ' ').trim();
  return plain.slice(0, 64).toWellFormed() || 'Unnamed application';
}

const refusal = (error: string, description: string) => ({
  error,
  error_description: description,
});

/** Whether nobody registered the client for it: it did so itself, or its id is the address of its document. */
export const isDynamic = (clientId: string): boolean =>
  clientId.startsWith(PREFIX) || isDocumentId(clientId);

/** Whether the id is the address of a document about the client (client-document.ts). */
export const isDocumentId = (clientId: string): boolean => clientId.startsWith('https://');

/**
 * Stores a self-registered client, always a public one, for a day. Above `MAX_UNUSED` the oldest unused
 * ones of the busiest sources are deleted, so that a flood locks no other source out.
 */
async function addDynamicClient(
  app: App,
  described: Exclude<ReturnType<typeof metadataOf>, string>,
  source: string,
) {
  const metadata = {
    client_id: PREFIX + randomBytes(16).toString('hex'),
    client_id_issued_at: Math.floor(app.clock.now() / 1_000),
    ...described,
  };
  await acrossTenants(app.db, 'oauth', (q) => storeClient(app, q, metadata, source));
  return metadata;
}

/** Stores or renews a client for a day, or for as long as it is stored already; in a transaction over all tenants. */
export async function storeClient(
  app: App,
  q: Queries,
  metadata: AdapterPayload & { client_id: string },
  source: string,
): Promise<void> {
  const until = new Date(app.clock.now() + UNUSED_MS);
  const payload = JSON.stringify(metadata);
  await q
    .insertInto('svc_oauth_store')
    .values({ kind: KIND, id: metadata.client_id, payload, expiresAt: until, source })
    .onConflict((conflict) =>
      conflict.columns(['kind', 'id']).doUpdateSet({
        payload,
        expiresAt: sql`greatest(svc_oauth_store.expires_at, excluded.expires_at)`,
      }),
    )
    .execute();
  await boundRows(q, { kind: KIND, until, ofSource: MAX_UNUSED, ofAll: MAX_UNUSED });
}

/** The metadata of a registered client; undefined once it has expired. */
export async function findDynamicClient(
  app: App,
  q: Queries,
  clientId: string,
): Promise<AdapterPayload | undefined> {
  const row = await q
    .selectFrom('svc_oauth_store')
    .select('payload')
    .where('kind', '=', KIND)
    .where('id', '=', clientId)
    .where('expiresAt', '>', new Date(app.clock.now()))
    .executeTakeFirst();
  return row?.payload;
}

/** Extends the lifetime of a client that was granted access, beyond that of the grant. */
export async function keepDynamicClient(app: App, q: Queries, clientId: string): Promise<void> {
  await q
    .updateTable('svc_oauth_store')
    .set({ expiresAt: new Date(app.clock.now() + USED_MS) })
    .where('kind', '=', KIND)
    .where('id', '=', clientId)
    .execute();
}

type Bound = {
  kind: string;
  until: Date;
  ofSource: number;
  ofAll: number;
  /** Only the rows of this client. */
  clientId?: string | undefined;
};

/**
 * Deletes the rows of a kind, up to an expiry, that callers without a login stored beyond what is kept of a source and
 * of all together: the oldest of the busiest sources first, so that a flood takes no place of others. In a transaction
 * over all tenants.
 */
export const boundRows = (
  q: Queries,
  { kind, until, ofSource, ofAll, clientId }: Bound,
): Promise<unknown> =>
  sql`
    delete from svc_oauth_store where kind = ${kind} and id in (
      select id from (
        -- Age 1 is the newest row of each source, 2 the one before it.
        select id, age, row_number() over (order by age, expires_at desc, id) as place from (
          select id, expires_at,
            row_number() over (partition by source order by expires_at desc, id) as age
          from svc_oauth_store
          where kind = ${kind} and source is not null and expires_at <= ${until}
            and ${clientId === undefined ? sql`true` : sql`payload->>'clientId' = ${clientId}`}) aged) placed
      where age > ${ofSource} or place > ${ofAll})`.execute(q);
