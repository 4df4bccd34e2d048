import { z } from 'zod';

import type { App, Caller } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { accountIdOf } from './account.ts';
import { endGrant } from './adapter.ts';
import { clientMetadata } from './client/client-metadata.ts';

const MAX_LISTED = 500;

const Kept = z.object({
  clientId: z.string(),
  issuedMs: z.number(),
  openid: z.object({ scope: z.string() }),
});

export type ListedGrant = {
  grantId: string;
  clientId: string;
  /** Null when the client no longer exists. */
  clientName: string | null;
  scopes: string[];
  grantedTime: string;
  expireTime: string;
};

/** The caller's unexpired grants in this tenant, newest first. */
export async function listGrants(app: App, caller: Caller): Promise<ListedGrant[]> {
  const rows = await acrossTenants(app.db, 'oauth', (q) =>
    grantsOf(q, caller)
      .where('expiresAt', '>', new Date(app.clock.now()))
      .orderBy('expiresAt', 'desc')
      .limit(MAX_LISTED)
      .execute(),
  );
  const listed: ListedGrant[] = [];
  for (const { id, payload, expiresAt } of rows) {
    const { clientId, issuedMs, openid } = Kept.parse(payload);
    listed.push({
      grantId: id,
      clientId,
      clientName: (await clientMetadata(app, clientId))?.client_name ?? null,
      scopes: openid.scope.split(' '),
      grantedTime: new Date(issuedMs).toISOString(),
      expireTime: expiresAt?.toISOString() ?? '',
    });
  }
  return listed;
}

/** Revokes a grant of the caller; its tokens end at once. Throws NotFound (404). */
export async function revokeGrant(app: App, caller: Caller, grantId: string): Promise<void> {
  const found = await acrossTenants(app.db, 'oauth', (q) =>
    grantsOf(q, caller).where('id', '=', grantId).executeTakeFirst(),
  );
  if (!found) throw new NotFound('Grant');
  await endGrant(app, grantId);
}

const grantsOf = (q: Queries, caller: Caller) =>
  q
    .selectFrom('svc_oauth_store')
    .select(['id', 'payload', 'expiresAt'])
    .where('kind', '=', 'Grant')
    .where('uid', '=', accountIdOf(caller));
