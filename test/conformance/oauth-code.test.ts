import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { acrossTenants } from '../../src/db/tenant.ts';
import { worker } from '../support/people/accounts.ts';
import { Browser } from '../support/people/browser.ts';
import {
  admin,
  allowAll,
  authorizationUrl,
  callback,
  discover,
  insecure,
  redeem,
  refresh,
  refusal,
  registerApp,
  tokensFor,
} from '../support/people/oauth-client.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import type { Session } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const invalidGrant = { status: 400, error: 'invalid_grant' };

const world = startedWorld();
const server = prepared(() => discover(world.base));
const client = prepared(() => registerApp(server));

const use = (token: string) => bearerCaller(world.app, token, 'mcp');
const refused = { status: 401 };

/** A person of a tenant of its own, with tokens. */
async function someone(code: string) {
  const session = await world.tenant(code);
  const person = { ...admin, tenant: code, login: `${code}-admin` };
  return { session, person, tokens: await tokensFor(world.base, server, client, { person }) };
}

const GRANT = '/api/v3/auth/mcp/grant';
const Grants = z.object({
  records: z.array(z.looseObject({ grantId: z.string(), lastTokenTime: z.string().nullable() })),
  total: z.number(),
});
const grantsOf = async (session: Session, given: object = {}) =>
  Grants.parse(await session.data(`${GRANT}/list`, given)).records;

/** Both tokens are refused, on another node within a second. */
async function ended(tokens: { access: string; refresh: string }): Promise<void> {
  world.clock.shift(1_001);
  await expect(use(tokens.access)).rejects.toMatchObject(refused);
  expect(await refusal(refresh(server, client, tokens.refresh))).toEqual(invalidGrant);
}

describe('the authorization code grant (OAuth 2.1, 4.1)', () => {
  it('leads a person from login and consent to tokens for this resource', async () => {
    const { url, verifier, state } = await authorizationUrl(server, client);
    const page = await allowAll(new Browser(world.base), url);
    expect(page.url).toMatch(/^http:\/\/127\.0\.0\.1:7777\/callback\?/);
    const parameters = callback(server, client, page, state);
    expect(parameters.get('iss')).toBe(world.base);
    const tokens = await redeem(server, client, parameters, verifier, {
      resource: `${world.base}/mcp`,
    });
    expect(tokens).toMatchObject({ token_type: 'bearer', expires_in: 900, scope: 'svc:read' });
    expect(tokens).not.toHaveProperty('id_token');
    const caller = await use(tokens.access_token);
    expect(caller).toMatchObject({
      tenantId: world.admin.tenantId,
      principalType: 'USER',
      name: 'admin',
      via: 'oauth',
      clientId: client.client_id,
      scopes: ['svc:read'],
    });
    expect(caller.permissions.has('*')).toBe(true);
  });

  const sameResource = ['', '/mcp', '/mcp/'];
  it.each(sameResource)('takes the resource as %j at both endpoints', async (asked) => {
    for (const redeemed of sameResource) {
      const named = (path: string) => (path === '' ? '' : world.base + path);
      const { url, verifier, state } = await authorizationUrl(server, client, {
        resource: named(asked),
      });
      const page = await allowAll(new Browser(world.base), url);
      const tokens = await redeem(
        server,
        client,
        callback(server, client, page, state),
        verifier,
        redeemed === '' ? {} : { resource: named(redeemed) },
      );
      expect((await use(tokens.access_token)).scopes).toEqual(['svc:read']);
    }
  });

  const scopes = {
    'svc:read svc:propose': 'svc:read svc:propose',
    'svc:read-device svc:propose': 'svc:read-device svc:propose',
    // Opens nothing at MCP, which is the resource asked for.
    'svc:read svc:chat': 'svc:read',
    'openid offline_access svc:read': 'svc:read',
    'openid profile email': 'svc:read',
  };
  it.each(Object.entries(scopes))('for the scopes %j gives %j', async (scope, given) => {
    expect((await tokensFor(world.base, server, client, { scope })).scope).toBe(given);
  });

  it('lets a native client come back on any port (RFC 8252 7.3)', async () => {
    const moved = { ...client, redirectUri: 'http://127.0.0.1:50123/callback' };
    expect((await tokensFor(world.base, server, moved)).scope).toBe('svc:read');
  });

  it('steps up: more scopes are asked for later, and only then given', async () => {
    const browser = new Browser(world.base);
    const first = await tokensFor(world.base, server, client, { browser });
    const second = await tokensFor(world.base, server, client, {
      browser,
      scope: 'svc:read svc:propose',
    });
    expect((await use(first.access)).scopes).toEqual(['svc:read']);
    expect((await use(second.access)).scopes).toEqual(['svc:read', 'svc:propose']);
  });
});

describe('a connection that was revoked', () => {
  it('ends when it is restored what was issued before: the client authorizes anew', async () => {
    const { session, person, tokens } = await someone('restored');
    const other = await tokensFor(world.base, server, await registerApp(server), { person });
    const given = { clientId: client.client_id };
    const auth = '/api/v3/auth/mcp/connection';
    const { id } = z.object({ id: z.string() }).parse(await session.data(`${auth}/add`, given));
    await session.data(`${auth}/revoke`, { id });
    expect((await use(tokens.access)).clientId).toBe(client.client_id);
    await session.data(`${auth}/restore`, { id });
    await ended(tokens);
    const again = await tokensFor(world.base, server, client, { person });
    expect((await use(again.access)).clientId).toBe(client.client_id);
    expect((await use(other.access)).tenantId).toBe(session.tenantId);
    await refresh(server, client, again.refresh);
  });
});

describe('a refresh (OAuth 2.1, 4.3)', () => {
  it('gives a new pair, for all or fewer of the scopes', async () => {
    const scope = 'svc:read svc:propose';
    const first = await tokensFor(world.base, server, client, { scope });
    const narrow = await refresh(server, client, first.refresh, { scope: 'svc:read' });
    expect((await use(narrow.access_token)).scopes).toEqual(['svc:read']);
    expect(narrow.refresh_token).not.toBe(first.refresh);
    const whole = await refresh(server, client, String(narrow.refresh_token));
    expect((await use(whole.access_token)).scopes).toEqual(['svc:read', 'svc:propose']);
  });

  it('outlives the access token, the browser and the client’s first day', async () => {
    const fresh = await registerApp(server);
    const { refresh: token } = await tokensFor(world.base, server, fresh);
    world.clock.shift(20 * 24 * 60 * 60_000);
    const tokens = await refresh(server, fresh, token);
    expect((await use(tokens.access_token)).name).toBe('admin');
  });

  it('keeps no token as it is in the database, used ones neither', async () => {
    const first = await tokensFor(world.base, server, client);
    const second = await refresh(server, client, first.refresh);
    const rows = await acrossTenants(world.app.db, 'doctor', (q) =>
      q.selectFrom('svc_oauth_store').selectAll().execute(),
    );
    const kept = JSON.stringify(rows);
    const secrets = [first.access, first.refresh, second.access_token, second.refresh_token];
    for (const secret of secrets) expect(kept).not.toContain(secret);
  });
});

describe('what a person allowed ends', () => {
  it('with his logout; a new login starts anew', async () => {
    const { session, person, tokens } = await someone('logs-out');
    expect((await use(tokens.access)).tenantId).toBe(session.tenantId);
    await session.data('/api/v3/auth/token/cancel', {});
    await expect(use(tokens.access)).rejects.toMatchObject(refused);
    await ended(tokens);
    const fresh = await tokensFor(world.base, server, client, { person });
    expect((await use(fresh.access)).tenantId).toBe(session.tenantId);
  });

  it('with his password', async () => {
    const { session, person, tokens } = await someone('changes');
    await session.data('/api/v3/auth/token/change_password', {
      tenant: person.tenant,
      name: person.login,
      password: person.password,
      newPassword: 'another horse 43',
    });
    await ended(tokens);
  });

  const switches = {
    'his tenant': (tenantId: string) =>
      acrossTenants(world.app.db, 'seed', (q) =>
        q.updateTable('svc_tenant').set({ enableFlag: 1 }).where('id', '=', tenantId).execute(),
      ),
    'his membership': (tenantId: string) =>
      acrossTenants(world.app.db, 'seed', (q) =>
        q
          .updateTable('svc_tenant_membership')
          .set({ membershipStatus: 'SUSPENDED' })
          .where('tenantId', '=', tenantId)
          .execute(),
      ),
    'his principal': (_: string, principalId: string) =>
      acrossTenants(world.app.db, 'seed', (q) =>
        q
          .updateTable('svc_principal')
          .set({ enableFlag: 1 })
          .where('id', '=', principalId)
          .execute(),
      ),
  };
  it.each(Object.entries(switches))('with %s', async (name, disable) => {
    const { session, tokens } = await someone(name.replace(' ', '-'));
    const { principalId } = await use(tokens.access);
    await disable(session.tenantId, principalId);
    await ended(tokens);
  });

  it('when the client gives it back (RFC 7009)', async () => {
    for (const kind of ['access', 'refresh'] as const) {
      const tokens = await tokensFor(world.base, server, client);
      const answer = await oauth.revocationRequest(
        server,
        client,
        oauth.None(),
        tokens[kind],
        insecure,
      );
      await oauth.processRevocationResponse(answer);
      await ended(tokens);
    }
  });

  it('when an administrator of the tenant takes it back, and no colleague without the right', async () => {
    const { session, tokens } = await someone('of-a-firm');
    const colleague = await worker(session, ['svc-center-auth:mcp:list']);
    expect(await grantsOf(colleague.session)).toEqual([]);
    const [grant] = await grantsOf(colleague.session, { of: 'tenant' });
    expect(grant).toMatchObject({ principalId: session.principalId });
    const id = { grantId: grant?.grantId };
    expect((await colleague.session.post(`${GRANT}/revoke`, id)).status).toBe(404);
    const plain = await worker(session, ['svc-center-auth:mcp:delete']);
    expect((await plain.session.post(`${GRANT}/list`, { of: 'tenant' })).status).toBe(403);
    // It would end what an administrator with more rights allowed.
    expect((await plain.session.post(`${GRANT}/revoke`, id)).status).toBe(403);
    const second = await worker(session, ['*']);
    expect(
      await grantsOf(second.session, { of: 'tenant', principalId: second.principalId }),
    ).toEqual([]);
    await second.session.data(`${GRANT}/revoke`, id);
    await ended(tokens);
  });

  it('is listed with when its program last got a token', async () => {
    const { session, tokens } = await someone('renews');
    const [first] = await grantsOf(session);
    expect(first?.lastTokenTime).not.toBeNull();
    world.clock.shift(60_000);
    await refresh(server, client, tokens.refresh);
    const [later] = await grantsOf(session);
    const spent = Date.parse(later?.lastTokenTime ?? '') - Date.parse(first?.lastTokenTime ?? '');
    expect(spent).toBeGreaterThanOrEqual(60_000);
  });

  it('is listed with the others in pages that say how many there are', async () => {
    const { session, person } = await someone('allows-much');
    for (const _ of ['second', 'third'])
      await tokensFor(world.base, server, await registerApp(server), { person });
    const page = async (current: number) =>
      Grants.parse(await session.data(`${GRANT}/list`, { page: { current, size: 2 } }));
    const pages = [await page(1), await page(2), await page(3)];
    expect(pages.map(({ records, total }) => [records.length, total])).toEqual([
      [2, 3],
      [1, 3],
      [0, 3],
    ]);
    const paged = pages.flatMap(({ records }) => records);
    expect(new Set(paged.map(({ grantId }) => grantId)).size).toBe(3);
    expect(paged).toEqual(await grantsOf(session));
  });

  it('when he takes it back, and nobody else can', async () => {
    const mine = await someone('takes-back');
    const theirs = await someone('keeps');
    const [grant, ...more] = await grantsOf(mine.session);
    expect(more).toEqual([]);
    expect(grant).toMatchObject({
      principalId: mine.session.principalId,
      clientId: client.client_id,
      clientName: 'Test App',
      scopes: ['svc:read'],
    });
    const id = { grantId: grant?.grantId };
    expect((await theirs.session.post(`${GRANT}/revoke`, id)).status).toBe(404);
    expect((await use(mine.tokens.access)).name).toBe('takes-back-admin');
    await mine.session.data(`${GRANT}/revoke`, id);
    await expect(use(mine.tokens.access)).rejects.toMatchObject(refused);
    await ended(mine.tokens);
    expect(await grantsOf(mine.session)).toEqual([]);
    expect((await mine.session.post(`${GRANT}/revoke`, id)).status).toBe(404);
    const audited = await mine.session.data('/api/v3/auth/identity_audit/list', {
      resourceType: 'OAUTH_GRANT',
    });
    expect(audited).toMatchObject([{ action: 'REVOKE', resourceName: client.client_id }, {}]);
    expect(
      (await use((await refresh(server, client, theirs.tokens.refresh)).access_token)).name,
    ).toBe('keeps-admin');
  });
});
