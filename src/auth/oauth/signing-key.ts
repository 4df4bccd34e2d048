import { createHmac, generateKeyPairSync } from 'node:crypto';

import { z } from 'zod';

import type { App } from '../../app.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { seal, unseal } from './sealed.ts';

const KIND = 'SigningKey';
const ID = 'current';

const PrivateJwk = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});

/** The authorization server's ES256 key: made once, sealed in the database, the same on every node. */
export async function signingKey(app: App) {
  const fresh = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const sealed = seal(app.keys.oauth, KIND, JSON.stringify(fresh.export({ format: 'jwk' })));
  const payload = await acrossTenants(app.db, 'oauth', async (q) => {
    await q
      .insertInto('svc_oauth_store')
      .values({ kind: KIND, id: ID, payload: JSON.stringify({ sealed }) })
      .onConflict((conflict) => conflict.columns(['kind', 'id']).doNothing())
      .execute();
    const kept = await q
      .selectFrom('svc_oauth_store')
      .select('payload')
      .where('kind', '=', KIND)
      .where('id', '=', ID)
      .executeTakeFirstOrThrow();
    return kept.payload;
  });
  const { sealed: kept } = z.object({ sealed: z.string() }).parse(payload);
  const jwk = PrivateJwk.parse(JSON.parse(unseal(app.keys.oauth, KIND, kept)));
  return { ...jwk, use: 'sig', alg: 'ES256' };
}

/** Signs the cookies of the login and consent pages. */
export const cookieKey = (app: App): string =>
  createHmac('sha256', app.keys.oauth).update('cookies-v1').digest('base64url');
