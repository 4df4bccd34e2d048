import { sql } from 'kysely';
import type { Adapter, AdapterPayload, errors } from 'oidc-provider';

import type { Queries } from '../../../db/connect.ts';
import { acrossTenants } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { sourceNow } from '../../../kernel/request/called-from.ts';
import { seal, unseal } from '../../../kernel/secret.ts';
import { UnusableClient } from './client-document.ts';
import { clientMetadata } from './client-metadata.ts';
import { isInGrace } from './refresh-grace.ts';
import { boundRows } from './registration.ts';
import { isSecretId, storedId, storedUserCode } from './stored-id.ts';

const SWEEP_EVERY_MS = 60_000;
const REFRESH = 'RefreshToken';
const DEVICE = 'DeviceCode';
/** For how long an expired device code is still known, so that its program learns that it expired (RFC 8628 3.5). */
const EXPIRED_KNOWN_MS = 5 * 60_000;
/** Open login pages, sessions without a login, and codes that no person has entered yet, which are kept. */
const VISITS = { ofSource: 200, ofAll: 2_000 };
const CODES = { ofSource: 20, ofAll: 1_000, ofClient: 200 };

/** Whether a row was made by somebody that has not logged in. */
function isStrangers(kind: string, payload: AdapterPayload): boolean {
  if (kind === 'Interaction') return payload.session?.accountId === undefined;
  if (kind === 'Session') return payload.accountId === undefined;
  const { accountId, error, inFlight } = payload;
  return kind === DEVICE && accountId === undefined && error === undefined && inFlight !== true;
}

/** Issued ids are printable ASCII; others need no query, and PostgreSQL cannot compare some of them. */
const isPossible = (value: string): boolean => /^[\x21-\x7e]{1,512}$/.test(value);

const isOfStrangers = (kind: string): boolean =>
  kind === 'Interaction' || kind === 'Session' || kind === DEVICE;

/** What opens a sealed device code: the page that goes on with it, or the code that people type. */
const ofVisit = (uid: string): string => `visit ${uid}`;
const ofUserCode = (code: string): string => `user code ${code}`;

/** What is stored: no code as it is, neither that of the program nor the one that people type. */
function storedPayload({ keys }: App, kind: string, id: string, payload: AdapterPayload) {
  const { jti: _secret, userCode, ...rest } = payload;
  const { deviceCode } = payload;
  return {
    ...(isSecretId(kind) ? rest : payload),
    ...(deviceCode !== undefined && { deviceCode: seal(keys.oauth, ofVisit(id), deviceCode) }),
    ...(userCode !== undefined && { sealedCode: seal(keys.oauth, ofUserCode(userCode), id) }),
  };
}

function rowOf(
  app: App,
  kind: string,
  id: string,
  { payload, expiresIn }: { payload: AdapterPayload; expiresIn: number | undefined },
) {
  const now = app.clock.now();
  const { grantId = null, userCode } = payload;
  const knownMs = (expiresIn ?? 0) * 1_000 + (kind === DEVICE ? EXPIRED_KNOWN_MS : 0);
  return {
    // Logout compares milliseconds; the library's own iat counts seconds.
    payload: JSON.stringify({ ...storedPayload(app, kind, id, payload), issuedMs: now }),
    grantId,
    // Of a grant: its account, so that a user's grants are found.
    uid: payload.uid ?? (kind === 'Grant' ? (payload.accountId ?? null) : null),
    userCode: userCode === undefined ? null : storedUserCode(app, userCode),
    expiresAt: expiresIn === undefined ? null : new Date(now + knownMs),
    ...(isOfStrangers(kind) && {
      source: isStrangers(kind, payload) ? (sourceNow() ?? '') : null,
    }),
  };
}

/** A device code as its program or the person that typed its other code knows it; over once it has expired. */
function openedCode(
  app: App,
  { sealedCode, ...payload }: AdapterPayload & { sealedCode?: unknown },
  column: string,
  value: string,
  knownUntil: Date | null,
): AdapterPayload | undefined {
  const isOver = (knownUntil?.getTime() ?? 0) - EXPIRED_KNOWN_MS <= app.clock.now();
  const known = { ...payload, ...(isOver && { exp: 1 }) };
  if (column === 'id') return { ...known, jti: value };
  const jti = unseal(app.keys.oauth, ofUserCode(value), String(sealedCode));
  return jti === null ? undefined : { ...known, jti, userCode: value };
}

/** Marks a code or token as used; a second use ends its grant, unless it is a repeated refresh within its grace. */
async function isFirstUse(app: App, kind: string, id: string): Promise<boolean> {
  const consumedMs = app.clock.now();
  const consumed = JSON.stringify({ consumed: Math.floor(consumedMs / 1_000), consumedMs });
  const row = { kind, id: storedId(kind, id) };
  const known = await acrossTenants(app.db, 'oauth', async (q) => {
    const first = await q
      .updateTable('svc_oauth_store')
      .set({ payload: sql`payload || ${consumed}::jsonb` })
      .where((the) => the.and(row))
      .where(sql<boolean>`not payload ? 'consumed'`)
      .executeTakeFirst();
    if (first.numUpdatedRows > 0n) return null;
    return q
      .selectFrom('svc_oauth_store')
      .select(['grantId', 'payload'])
      .where((the) => the.and(row))
      .executeTakeFirst();
  });
  if (known === null) return true;
  // Second use of a code or refresh token: one of its two holders stole it (RFC 9700 2.2.2, 4.5).
  const isRepeated = kind === REFRESH && isInGrace(app, known?.payload);
  if (!isRepeated) await endGrant(app, known?.grantId ?? '');
  return false;
}

/** Storage of the authorization server, in `svc_oauth_store`. */
export function adapterFactory(
  app: App,
  { InvalidClient, InvalidGrant }: Pick<typeof errors, 'InvalidClient' | 'InvalidGrant'>,
): (kind: string) => Adapter {
  let sweptMs = 0;

  async function upsert(kind: string, id: string, payload: AdapterPayload, expiresIn?: number) {
    const now = app.clock.now();
    const row = rowOf(app, kind, id, { payload, expiresIn });
    await acrossTenants(app.db, 'oauth', async (q) => {
      await q
        .insertInto('svc_oauth_store')
        .values({ kind, id: storedId(kind, id), ...row })
        .onConflict((conflict) => conflict.columns(['kind', 'id']).doUpdateSet(row))
        .execute();
      if (typeof row.source === 'string') {
        const until = row.expiresAt ?? new Date(now);
        if (kind === DEVICE) {
          const { ofClient: ofAll, ofSource } = CODES;
          await boundRows(q, { kind, until, ofSource, ofAll, clientId: payload.clientId });
        }
        await boundRows(q, { kind, until, ...(kind === DEVICE ? CODES : VISITS) });
      }
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
    const stored = { id: storedId(kind, value), uid: value, userCode: storedUserCode(app, value) };
    const row = await acrossTenants(app.db, 'oauth', (q) =>
      q
        .selectFrom('svc_oauth_store')
        .select(['id', 'payload', 'expiresAt'])
        .where('kind', '=', kind)
        .where(column, '=', stored[column])
        .executeTakeFirst(),
    );
    if (!row || (row.expiresAt && row.expiresAt.getTime() <= app.clock.now())) return undefined;
    const { consumed, ...unused } = row.payload;
    // The library would end the family at sight: within its grace a repeated refresh comes to `consume`.
    const isSpent = consumed !== undefined && !(kind === REFRESH && isInGrace(app, row.payload));
    const payload = isSpent ? row.payload : unused;
    if (kind === 'Interaction' && typeof payload.deviceCode === 'string') {
      const opened = unseal(app.keys.oauth, ofVisit(value), payload.deviceCode);
      return opened === null ? undefined : { ...payload, deviceCode: opened };
    }
    if (kind === DEVICE) return openedCode(app, payload, column, value, row.expiresAt);
    return isSecretId(kind) ? { ...payload, jti: value } : payload;
  }

  const store = (kind: string): Adapter => ({
    upsert: (id, payload, expiresIn) => upsert(kind, id, payload, expiresIn),
    find: (id) => find(kind, 'id', id),
    findByUid: (uid) => find(kind, 'uid', uid),
    findByUserCode: (userCode) => find(kind, 'userCode', userCode),
    async consume(id) {
      if (!(await isFirstUse(app, kind, id))) throw new InvalidGrant('it was used already');
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

  // Clients are registered through our own endpoints only.
  return (kind) =>
    kind === 'Client'
      ? {
          ...store(kind),
          upsert: async () => {},
          find: async (id) => {
            if (!isPossible(id)) return undefined;
            return clientMetadata(app, id).catch((error: unknown) => {
              if (error instanceof UnusableClient) throw new InvalidClient(error.message);
              throw error;
            });
          },
        }
      : store(kind);
}

/** Deletes a grant and every code and token issued from it; an unknown id is no error. */
async function endGrant(app: App, grantId: string): Promise<void> {
  if (grantId !== '') await acrossTenants(app.db, 'oauth', (q) => endGrantIn(q, grantId));
}

/** The same, in a transaction over all tenants. */
export const endGrantIn = (q: Queries, grantId: string): Promise<unknown> =>
  q
    .deleteFrom('svc_oauth_store')
    .where((row) =>
      row.or([
        row('grantId', '=', grantId),
        row.and([row('kind', '=', 'Grant'), row('id', '=', grantId)]),
      ]),
    )
    .execute();
