import { createHash } from 'node:crypto';

import type { Adapter, AdapterPayload } from 'oidc-provider';

import type { App } from '../../app.ts';
import { acrossTenants } from '../../db/tenant.ts';
import { clientMetadata } from './client-metadata.ts';

const SWEEP_EVERY_MS = 60_000;

/** Kinds whose id is itself the secret: the database keeps a digest, so that a copy of it opens nothing. */
const SECRET_IDS: ReadonlySet<string> = new Set([
  'AccessToken',
  'ClientCredentials',
  'RefreshToken',
  'AuthorizationCode',
]);

/** Ids are printable ASCII; anything else was never given out, and the database could not even compare it. */
const isPossible = (value: string): boolean => /^[\x21-\x7e]{1,512}$/.test(value);

/** How an id is kept. */
export const storedId = (kind: string, id: string): string =>
  SECRET_IDS.has(kind) ? createHash('sha256').update(id).digest('base64url') : id;

/** What the authorization server keeps, in `svc_oauth_store`; clients come from `svc_oauth_client`. */
export function adapterFactory(app: App): (kind: string) => Adapter {
  let sweptMs = 0;

  async function upsert(kind: string, id: string, payload: AdapterPayload, expiresIn?: number) {
    const now = app.clock.now();
    const { jti: _secret, ...rest } = payload;
    const row = {
      // Logout compares milliseconds; the library's own iat counts seconds.
      payload: JSON.stringify({
        ...(SECRET_IDS.has(kind) ? rest : payload),
        issuedMs: now,
      }),
      grantId: payload.grantId ?? null,
      uid: payload.uid ?? null,
      userCode: payload.userCode ?? null,
      expiresAt: expiresIn === undefined ? null : new Date(now + expiresIn * 1_000),
    };
    await acrossTenants(app.db, 'oauth', async (q) => {
      await q
        .insertInto('svc_oauth_store')
        .values({ kind, id: storedId(kind, id), ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(row))
        .execute();
      if (now - sweptMs < SWEEP_EVERY_MS) return;
      sweptMs = now;
      await q.deleteFrom('svc_oauth_store').where('expiresAt', '<', new Date(now)).execute();
    });
  }

  async function find(
    kind: string,
    column: 'id' | 'uid' | 'userCode',
    value: string,
  ): Promise<AdapterPayload | undefined> {
    if (!isPossible(value)) return undefined;
    const row = await acrossTenants(app.db, 'oauth', (q) =>
      q
        .selectFrom('svc_oauth_store')
        .select(['payload', 'expiresAt'])
        .where('kind', '=', kind)
        .where(column, '=', column === 'id' ? storedId(kind, value) : value)
        .executeTakeFirst(),
    );
    if (!row || (row.expiresAt && row.expiresAt.getTime() <= app.clock.now())) return undefined;
    return SECRET_IDS.has(kind) ? { ...row.payload, jti: value } : row.payload;
  }

  const store = (kind: string): Adapter => ({
    upsert: (id, payload, expiresIn) => upsert(kind, id, payload, expiresIn),
    find: (id) => find(kind, 'id', id),
    findByUid: (uid) => find(kind, 'uid', uid),
    findByUserCode: (userCode) => find(kind, 'userCode', userCode),
    async consume(id) {
      const payload = await find(kind, 'id', id);
      if (!payload) return;
      const consumed = Math.floor(app.clock.now() / 1_000);
      await acrossTenants(app.db, 'oauth', (q) =>
        q
          .updateTable('svc_oauth_store')
          .set({ payload: JSON.stringify({ ...payload, consumed }) })
          .where('kind', '=', kind)
          .where('id', '=', storedId(kind, id))
          .execute(),
      );
    },
    async destroy(id) {
      await acrossTenants(app.db, 'oauth', (q) =>
        q
          .deleteFrom('svc_oauth_store')
          .where('kind', '=', kind)
          .where('id', '=', storedId(kind, id))
          .execute(),
      );
    },
    async revokeByGrantId(grantId) {
      await acrossTenants(app.db, 'oauth', (q) =>
        q
          .deleteFrom('svc_oauth_store')
          .where('kind', '=', kind)
          .where('grantId', '=', grantId)
          .execute(),
      );
    },
  });

  // Clients are made through our own endpoints only, with a tenant and a service account.
  return (kind) =>
    kind === 'Client'
      ? {
          ...store(kind),
          upsert: async () => {},
          find: async (id) => (isPossible(id) ? clientMetadata(app, id) : undefined),
        }
      : store(kind);
}
