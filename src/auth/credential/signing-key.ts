import { createHmac, generateKeyPairSync } from 'node:crypto';

import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { acrossTenants } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { seal, unseal } from '../../kernel/secret.ts';

const KIND = 'SigningKey';
const ID = 'current';

const PrivateJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
const Kept = z.object({ sealed: z.string() });

/** The authorization server's ES256 key: created once, sealed in the database, shared by all nodes. */
export async function signingKey(app: App) {
  const fresh = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const sealed = seal(app.keys.oauth, KIND, JSON.stringify(fresh.export({ format: 'jwk' })));
  const text = await acrossTenants(app.db, 'oauth', async (q) => {
    const kept = unseal(app.keys.oauth, KIND, await keep(q, sealed));
    if (kept !== null) return kept;
    // Sealed under another SVC_SECRET_KEY and lost; signatures made with it become invalid.
    app.log.warn({}, 'OAuth signing key unreadable, replaced by a new one');
    await q.deleteFrom('svc_oauth_store').where('kind', '=', KIND).execute();
    const made = unseal(app.keys.oauth, KIND, await keep(q, sealed));
    if (made === null) throw new Error('another node has another SVC_SECRET_KEY');
    return made;
  });
  return { ...PrivateJwk.parse(JSON.parse(text)), use: 'sig', alg: 'ES256' };
}

/** Stores `sealed` unless another node was first; returns the stored value. */
async function keep(q: Queries, sealed: string): Promise<string> {
  await q
    .insertInto('svc_oauth_store')
    .values({ kind: KIND, id: ID, payload: JSON.stringify({ sealed }) })
    .onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing())
    .execute();
  const { payload } = await q
    .selectFrom('svc_oauth_store')
    .select('payload')
    .where('kind', '=', KIND)
    .where('id', '=', ID)
    .executeTakeFirstOrThrow();
  return Kept.parse(payload).sealed;
}

/** Signs the cookies and form proofs of the login and consent pages. */
export const cookieKey = (app: App): string =>
  createHmac('sha256', app.keys.oauth).update('cookies-v1').digest('base64url');
