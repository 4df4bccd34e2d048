import type { KoaContextWithOIDC, Provider } from 'oidc-provider';
import { z } from 'zod';

import { acrossTenants } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { seal, unseal } from '../../../kernel/secret.ts';
import { audit } from '../../audit/audit.ts';
import { personOf } from './account.ts';
import { storedId } from './stored-id.ts';

/**
 * For so long the replaced refresh token gets its client the same answer again: a client that lost the answer, or
 * has two windows, asks twice (RFC 9700 4.14.2 leaves the choice). Later use ends the family.
 */
const GRACE_MS = 30_000;
type Middleware = Parameters<Provider['use']>[0];

const KIND = 'RefreshAnswer';
/** The first of parallel requests has not stored its answer yet: how often and how long the others look for it. */
const LOOKS = 60;
const LOOK_EVERY_MS = 50;

const Answer = z.looseObject({
  access_token: z.string(),
  refresh_token: z.string(),
  expires_in: z.number(),
});
const Kept = z.object({
  clientId: z.string(),
  /** The scopes that were asked for; another choice is another question. */
  asked: z.string(),
  sealed: z.string(),
  issuedMs: z.number(),
});
const Refused = z.object({ error: z.literal('invalid_grant') });

/** Middleware of the authorization server, around its token endpoint. */
export const repeatedRefresh =
  (app: App): Middleware =>
  async (ctx, next) => {
    await next();
    if (!isTokenRequest(ctx)) return;
    const { oidc } = ctx;
    const { client, params = {}, entities } = oidc;
    const { grant_type: kind, refresh_token: token, scope } = params;
    const used = entities.RefreshToken ?? entities.AuthorizationCode;
    const isRefused = Refused.safeParse(ctx.body).success;
    if (isRefused && used && 'consumed' in used && used.consumed) await tellOwner(app, used);
    if (kind !== 'refresh_token' || typeof token !== 'string' || !client) return;
    const asked = { clientId: client.clientId, asked: typeof scope === 'string' ? scope : '' };
    const answer = Answer.safeParse(ctx.body);
    const grantId = entities.RefreshToken?.grantId ?? '';
    if (answer.success) return keep(app, { token, grantId, ...asked }, answer.data);
    if (!isRefused || entities.RotatedRefreshToken || !entities.RefreshToken) return;
    const again = await repeated(app, token, asked);
    if (again === null) return;
    ctx.status = 200;
    ctx.body = again;
  };

function isTokenRequest(ctx: unknown): ctx is KoaContextWithOIDC {
  return (
    typeof ctx === 'object' &&
    ctx !== null &&
    'oidc' in ctx &&
    typeof ctx.oidc === 'object' &&
    ctx.oidc !== null &&
    'route' in ctx.oidc &&
    ctx.oidc.route === 'token'
  );
}

type Question = { clientId: string; asked: string };

/** Sealed with the token that it answers, which the database does not have. */
async function keep(
  app: App,
  { token, grantId, ...asked }: Question & { token: string; grantId: string },
  answer: z.output<typeof Answer>,
): Promise<void> {
  const now = app.clock.now();
  const id = storedId(KIND, token);
  const sealed = seal(app.keys.oauth, token, JSON.stringify(answer));
  await acrossTenants(app.db, 'oauth', (q) =>
    q
      .insertInto('svc_oauth_store')
      .values({
        kind: KIND,
        id,
        grantId,
        payload: JSON.stringify({ ...asked, sealed, issuedMs: now }),
        expiresAt: new Date(now + GRACE_MS),
      })
      .onConflict((conflict) => conflict.doNothing())
      .execute(),
  );
}

/** The answer that the same client got for the same token within the grace; null without one. */
async function repeated(app: App, token: string, { clientId, asked }: Question) {
  for (let look = 0; look < LOOKS; look += 1) {
    const found = await consumedIn(app, token);
    if (found === undefined) return null;
    if (found.answer) {
      const kept = Kept.parse(found.answer);
      if (kept.clientId !== clientId || kept.asked !== asked) return null;
      const opened = unseal(app.keys.oauth, token, kept.sealed);
      if (opened === null) return null;
      const answer = Answer.parse(JSON.parse(opened));
      const spentS = Math.floor((app.clock.now() - kept.issuedMs) / 1_000);
      return { ...answer, expires_in: Math.max(0, answer.expires_in - spentS) };
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    app.clock.after(LOOK_EVERY_MS, resolve);
    await promise;
  }
  return null;
}

/** The answer kept for a token, if it is there yet; undefined when the token is unknown or its grace is over. */
async function consumedIn(app: App, token: string) {
  const [refresh, answer] = [storedId('RefreshToken', token), storedId(KIND, token)];
  const rows = await acrossTenants(app.db, 'oauth', (q) =>
    q
      .selectFrom('svc_oauth_store')
      .select(['kind', 'payload', 'expiresAt'])
      .where('expiresAt', '>', new Date(app.clock.now()))
      .where((row) =>
        row.or([
          row.and([row('kind', '=', 'RefreshToken'), row('id', '=', refresh)]),
          row.and([row('kind', '=', KIND), row('id', '=', answer)]),
        ]),
      )
      .execute(),
  );
  const used = rows.find(({ kind }) => kind === 'RefreshToken');
  if (!used || !isInGrace(app, used.payload)) return undefined;
  return { answer: rows.find(({ kind }) => kind === KIND)?.payload };
}

const Consumed = z.object({ consumedMs: z.number() });

/** Whether a token was replaced so lately that its client may not know it. */
export function isInGrace(app: App, payload: unknown): boolean {
  const consumed = Consumed.safeParse(payload);
  return consumed.success && app.clock.now() - consumed.data.consumedMs <= GRACE_MS;
}

type Used = { accountId?: string | undefined; clientId?: string | undefined; kind: string };

/** One of two holders of the token stole it, and the grant is gone with all that came from it. */
async function tellOwner(app: App, { accountId, clientId = '', kind }: Used): Promise<void> {
  const person = personOf(accountId ?? '');
  app.log.warn({ clientId, kind, ...person }, 'a used token was used again: its grant is ended');
  if (!person) return;
  await acrossTenants(app.db, 'oauth', (q) =>
    audit(
      app,
      q,
      { ...person, principalType: 'USER' },
      {
        action: 'REVOKE',
        resourceType: 'OAUTH_GRANT',
        resourceId: '0',
        resourceName: clientId,
        detail: { why: 'a used token was used again', kind },
      },
    ),
  );
}
