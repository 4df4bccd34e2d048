import { describe, expect, it } from 'vitest';

import { acrossTenants } from '../../src/db/tenant.ts';
import { Browser } from '../support/people/browser.ts';
import {
  allowAll,
  authorizationUrl,
  callback,
  discover,
  redeem,
  refresh,
  refusal,
  registerApp,
  tokensFor,
} from '../support/people/oauth-client.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const invalidGrant = { status: 400, error: 'invalid_grant' };

const world = startedWorld();
const server = prepared(() => discover(world.base));
const client = prepared(() => registerApp(server, 'https://app.example/callback'));
const other = prepared(() => registerApp(server, 'https://app.example/callback'));

const use = (token: string) => bearerCaller(world.app, token, 'mcp');

/** Status of a page, or what the client is told at its callback. */
async function outcome(change: Record<string, string>) {
  const browser = new Browser(world.base);
  const { url, state } = await authorizationUrl(server, client, change);
  const page = await browser.get(url);
  if (page.url.startsWith(world.base)) return page.status;
  const { origin, pathname, search, hash } = new URL(page.url);
  expect(origin + pathname).toBe(client.redirectUri);
  // A client that expects a token looks behind the hash, for errors too.
  const told = new URLSearchParams(hash.slice(1) || search);
  expect(told.get('iss')).toBe(world.base);
  expect(told.get('state')).toBe(state);
  expect(told.has('code')).toBe(false);
  return told.get('error');
}

/** A code, and what it takes to redeem it. */
async function code(scope = 'svc:read') {
  const { url, verifier, state } = await authorizationUrl(server, client, { scope });
  const page = await allowAll(new Browser(world.base), url);
  return { verifier, parameters: callback(server, client, page, state) };
}

describe('an authorization request', () => {
  const nearMisses = [
    'https://app.example/callback/',
    'https://app.example/callback?x=1',
    'https://app.example/callback#x',
    'https://app.example/Callback',
    'https://app.example/call',
    'https://app.example:8443/callback',
    'https://app.example./callback',
    'https://evil.app.example/callback',
    'https://app.example@evil.example/callback',
    'https://evil.example/https://app.example/callback',
    'http://app.example/callback',
    '//app.example/callback',
    'javascript:alert(1)',
    'data:text/html,x',
    'http://127.0.0.1/callback',
  ];
  it.each(nearMisses)('that wants its code at %s stays here', async (redirect_uri) => {
    expect(await outcome({ redirect_uri })).toBe(400);
  });

  const refused: [name: string, change: Record<string, string>, outcome: number | string][] = [
    ['of an unknown client', { client_id: 'dyn_0' }, 400],
    ['of no client', { client_id: '' }, 400],
    ['without PKCE', { code_challenge: '', code_challenge_method: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['without a method', { code_challenge_method: '' }, 'invalid_request'],
    ['with a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
    ['for an id token', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['for both', { response_type: 'code token' }, 'unsupported_response_type'],
    ['for nothing', { response_type: '' }, 'invalid_request'],
    ['in a fragment', { response_mode: 'fragment' }, 'unsupported_response_mode'],
    ['in a form', { response_mode: 'form_post' }, 'unsupported_response_mode'],
    ['for another resource', { resource: 'https://example.com/mcp' }, 'invalid_target'],
    ['for a resource that is no URI', { resource: 'mcp' }, 'invalid_target'],
    ['for unknown scopes alone', { scope: 'svc:confirm mcp:tools' }, 'invalid_scope'],
    ['for every scope at once', { scope: '*' }, 'invalid_scope'],
    ['that forbids a page', { prompt: 'none' }, 'login_required'],
    ['as an object', { request: 'a.b.c' }, 'request_not_supported'],
    ['by reference', { request_uri: 'https://evil.example' }, 'request_uri_not_supported'],
  ];
  it.each(refused)('%s is refused', async (_, change, expected) => {
    expect(await outcome(change)).toBe(expected);
  });

  it('leaves out the scopes that it does not know', async () => {
    const scope = 'svc:read claudeai mcp:tools svc:confirm';
    const tokens = await tokensFor(world.base, server, client, { scope });
    expect(tokens.scope).toBe('svc:read');
    expect((await use(tokens.access)).scopes).toEqual(['svc:read']);
    const again = (asked: string) => refresh(server, client, token, { scope: asked });
    let token = tokens.refresh;
    for (const asked of [scope, 'openid svc:read offline_access']) {
      const next = await again(asked);
      expect([asked, next.scope]).toEqual([asked, 'svc:read']);
      token = String(next.refresh_token);
    }
    for (const asked of ['claudeai', 'offline_access', 'svc:read svc:propose'])
      expect(await refusal(again(asked))).toEqual({ status: 400, error: 'invalid_scope' });
    expect((await again('svc:read')).scope).toBe('svc:read');
  });

  it.each(['/mcp?utm_source=plugin', '/mcp/?from=a&b=c', '/mcp/'])(
    'for the resource “%s” is one for the tools',
    async (path) => {
      const resource = `${world.base}${path}`;
      const { url, verifier, state } = await authorizationUrl(server, client, { resource });
      const page = await allowAll(new Browser(world.base), url);
      const answer = callback(server, client, page, state);
      const tokens = await redeem(server, client, answer, verifier, { resource });
      expect((await use(tokens.access_token)).name).toBe('admin');
      const next = await refresh(server, client, String(tokens.refresh_token), { resource });
      expect((await use(next.access_token)).name).toBe('admin');
    },
  );

  it('of a program finds no page', async () => {
    const account = await world.admin.data('/api/v3/auth/service_account/add', {
      serviceAccountName: 'program',
    });
    const { principalId } = Object(
      await world.admin.data('/api/v3/auth/service_account/get_by_id', undefined, {
        id: String(account),
      }),
    );
    const program = Object(
      await world.admin.data('/api/v3/auth/mcp/client/register', {
        client_name: 'program',
        service_account_principal_id: principalId,
      }),
    );
    expect(await outcome({ client_id: program.client_id })).toBe(400);
  });

  it('without a state still ends at the callback', async () => {
    const { url } = await authorizationUrl(server, client, { state: '' });
    const page = await allowAll(new Browser(world.base), url);
    expect(new URL(page.url).searchParams.has('code')).toBe(true);
    expect(new URL(page.url).searchParams.has('state')).toBe(false);
  });
});

describe('a code', () => {
  it('is refused with another verifier', async () => {
    const { parameters } = await code();
    const { verifier } = await authorizationUrl(server, client);
    expect(await refusal(redeem(server, client, parameters, verifier))).toEqual(invalidGrant);
  });

  it('is refused for another client', async () => {
    const { parameters, verifier } = await code();
    expect(await refusal(redeem(server, other, parameters, verifier))).toEqual(invalidGrant);
  });

  it('is refused for another redirect URI', async () => {
    const { parameters, verifier } = await code();
    const moved = { ...client, redirectUri: 'https://evil.example/callback' };
    expect(await refusal(redeem(server, moved, parameters, verifier))).toEqual(invalidGrant);
  });

  it('is refused for another resource', async () => {
    const { parameters, verifier } = await code();
    const elsewhere = { resource: 'https://example.com/mcp' };
    expect(await refusal(redeem(server, client, parameters, verifier, elsewhere))).toMatchObject({
      error: 'invalid_target',
    });
  });

  it('is over after a minute', async () => {
    const { parameters, verifier } = await code();
    world.clock.shift(MINUTE_MS + 1);
    expect(await refusal(redeem(server, client, parameters, verifier))).toEqual(invalidGrant);
  });

  it('used twice takes back what it gave', async () => {
    const { parameters, verifier } = await code();
    const tokens = await redeem(server, client, parameters, verifier);
    await use(tokens.access_token);
    expect(await refusal(redeem(server, client, parameters, verifier))).toEqual(invalidGrant);
    world.clock.shift(1_001);
    await expect(use(tokens.access_token)).rejects.toMatchObject({ status: 401 });
    expect(await refusal(refresh(server, client, String(tokens.refresh_token)))).toEqual(
      invalidGrant,
    );
  });

  it('used twice at once gives at most one token, and that one ends', async () => {
    const { parameters, verifier } = await code();
    const answers = await Promise.allSettled(
      Array.from({ length: 6 }, () => redeem(server, client, parameters, verifier)),
    );
    const given = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    expect(given.length).toBeLessThanOrEqual(1);
    world.clock.shift(1_001);
    for (const { access_token } of given) {
      await expect(use(access_token)).rejects.toMatchObject({ status: 401 });
    }
  });
});

describe('a refresh token', () => {
  it('is refused to another client', async () => {
    const tokens = await tokensFor(world.base, server, client);
    expect(await refusal(refresh(server, other, tokens.refresh))).toEqual(invalidGrant);
  });

  it('gives no more than the person allowed', async () => {
    const tokens = await tokensFor(world.base, server, client);
    for (const scope of ['svc:read svc:propose', 'svc:chat', 'openid']) {
      expect(await refusal(refresh(server, client, tokens.refresh, { scope })), scope).toEqual({
        status: 400,
        error: 'invalid_scope',
      });
    }
    const elsewhere = { resource: 'https://example.com/' };
    expect(await refusal(refresh(server, client, tokens.refresh, elsewhere))).toMatchObject({
      error: 'invalid_target',
    });
  });

  it('used again within 30 s gets its client the same pair, and nothing ends', async () => {
    const first = await tokensFor(world.base, server, client);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => refresh(server, client, first.refresh)),
    );
    const [second] = answers;
    expect(new Set(answers.map((one) => `${one.access_token} ${one.refresh_token}`)).size).toBe(1);
    world.clock.shift(20_000);
    const lost = await refresh(server, client, first.refresh);
    expect(lost).toMatchObject({
      access_token: second?.access_token,
      refresh_token: second?.refresh_token,
      scope: second?.scope,
    });
    expect(lost.expires_in).toBeLessThanOrEqual(880);
    expect(await refusal(refresh(server, other, first.refresh))).toEqual(invalidGrant);
    expect((await use(lost.access_token)).name).toBe('admin');
    const third = await refresh(server, client, String(lost.refresh_token));
    expect((await use(third.access_token)).name).toBe('admin');
  });

  it('used again after 30 s ends the family, and the log of its owner says so', async () => {
    const first = await tokensFor(world.base, server, client);
    const second = await refresh(server, client, first.refresh);
    world.clock.shift(31_000);
    expect(await refusal(refresh(server, client, first.refresh))).toEqual(invalidGrant);
    expect(await refusal(refresh(server, client, String(second.refresh_token)))).toEqual(
      invalidGrant,
    );
    world.clock.shift(1_001);
    await expect(use(second.access_token)).rejects.toMatchObject({ status: 401 });
    const rows = await world.admin.data('/api/v3/auth/identity_audit/list', {
      action: 'REVOKE',
      resourceType: 'OAUTH_GRANT',
    });
    expect(rows).toEqual(
      expect.arrayContaining([expect.objectContaining({ resourceName: client.client_id })]),
    );
  });

  it('keeps the answer for its repetition sealed, and no longer than 30 s', async () => {
    const first = await tokensFor(world.base, server, client);
    const second = await refresh(server, client, first.refresh);
    const kept = () =>
      acrossTenants(world.app.db, 'doctor', (q) =>
        q.selectFrom('svc_oauth_store').selectAll().where('kind', '=', 'RefreshAnswer').execute(),
      );
    const text = JSON.stringify(await kept());
    for (const secret of [first.refresh, second.access_token, String(second.refresh_token)])
      expect(text).not.toContain(secret);
    expect((await kept()).length).toBeGreaterThan(0);
    world.clock.shift(61_000);
    await tokensFor(world.base, server, client);
    expect(await kept()).toEqual([]);
  });

  it('ends 30 days after the consent, however often it was used', async () => {
    let { refresh: token } = await tokensFor(world.base, server, client);
    for (let day = 0; day < 28; day += 7) {
      world.clock.shift(7 * DAY_MS);
      token = String((await refresh(server, client, token)).refresh_token);
    }
    world.clock.shift(2 * DAY_MS + MINUTE_MS);
    expect(await refusal(refresh(server, client, token))).toEqual(invalidGrant);
  });
});

it('a token in the address is no token', async () => {
  const { access } = await tokensFor(world.base, server, client);
  const answer = await fetch(`${world.base}/mcp?access_token=${access}`, { method: 'POST' });
  expect(answer.status).toBe(401);
});
