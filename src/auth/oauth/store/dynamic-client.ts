import { randomBytes } from 'node:crypto';

import type { AdapterPayload } from 'oidc-provider';

import type { Queries } from '../../../db/connect.ts';
import { acrossTenants } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { applicationType } from '../../permission/redirect-uri.ts';
import { boundRows } from './anonymous-rows.ts';

const KIND = 'Client';
const PREFIX = 'dyn_';
const DAY_MS = 24 * 60 * 60_000;
/** Lifetime of a registration without a grant. */
const UNUSED_MS = DAY_MS;
/** Longer than any grant, so that no refresh token outlives its client. */
const USED_MS = 31 * DAY_MS;
const MAX_UNUSED = 1_000;

export const isDynamic = (clientId: string): boolean => clientId.startsWith(PREFIX);

/**
 * Stores a self-registered client, always a public one, for a day. Above `MAX_UNUSED` the oldest unused
 * ones of the busiest sources are deleted, so that a flood locks no other source out.
 */
export async function addDynamicClient(
  app: App,
  { name, redirectUris, source }: { name: string; redirectUris: string[]; source: string },
): Promise<AdapterPayload> {
  const now = app.clock.now();
  const metadata = {
    client_id: PREFIX + randomBytes(16).toString('hex'),
    client_id_issued_at: Math.floor(now / 1_000),
    client_name: name,
    redirect_uris: redirectUris,
    application_type: applicationType(redirectUris),
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
    token_endpoint_auth_method: 'none' as const,
  };
  await acrossTenants(app.db, 'oauth', async (q) => {
    await q
      .insertInto('svc_oauth_store')
      .values({
        kind: KIND,
        id: metadata.client_id,
        payload: JSON.stringify(metadata),
        expiresAt: new Date(now + UNUSED_MS),
        source,
      })
      .execute();
    const until = new Date(now + UNUSED_MS);
    await boundRows(q, { kind: KIND, until, ofSource: MAX_UNUSED, ofAll: MAX_UNUSED });
  });
  return metadata;
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
