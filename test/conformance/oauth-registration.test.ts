import { describe, expect, it } from 'vitest';

import { acrossTenants } from '../../src/db/tenant.ts';
import { Browser } from '../support/people/browser.ts';
import {
  allowAll,
  authorizationUrl,
  discover,
  registerApp,
  tokensFor,
} from '../support/people/oauth-client.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const LOCAL = 'http://localhost:1455/callback';

const world = startedWorld();
const server = prepared(() => discover(world.base));

async function register(body: unknown, type = 'application/json') {
  const answer = await fetch(`${world.base}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': type },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
  return { status: answer.status, headers: answer.headers, body: Object(await answer.json()) };
}

const known = async (clientId: string) => {
  const { url } = await authorizationUrl(server, { client_id: clientId, redirectUri: LOCAL });
  return (await new Browser(world.base).get(url)).status === 200;
};

describe('dynamic client registration (RFC 7591)', () => {
  it('makes a public client out of whatever a program asks for', async () => {
    const { status, headers, body } = await register({
      client_name: 'Claude Code',
      redirect_uris: [LOCAL],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'svc:read',
      client_uri: 'https://example.com',
      contacts: ['x'],
      software_version: '1',
      svc_tenant_id: '1',
    });
    expect(status).toBe(201);
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('access-control-allow-origin')).toBe('*');
    expect(body).toEqual({
      client_id: expect.stringMatching(/^dyn_[0-9a-f]{32}$/),
      client_id_issued_at: expect.any(Number),
      client_name: 'Claude Code',
      redirect_uris: [LOCAL],
      application_type: 'native',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    });
  });

  it('pins nobody to the scopes named at registration', async () => {
    const client = await registerApp(server, LOCAL, { scope: 'svc:read' });
    const tokens = await tokensFor(world.base, server, client, { scope: 'svc:read svc:propose' });
    expect(tokens.scope).toBe('svc:read svc:propose');
  });

  it('takes loopback beside HTTPS, as VS Code has them', async () => {
    const { status, body } = await register({
      redirect_uris: ['http://127.0.0.1:33418', 'http://[::1]/x', 'https://vscode.dev/redirect'],
    });
    expect(status).toBe(201);
    expect(body.application_type).toBe('native');
    expect(body.client_name).toBe('Unnamed application');
  });

  it('cleans a name of what would make it look like something else', async () => {
    const { body } = await register({
      redirect_uris: [LOCAL],
      client_name: `  a\u202Eb\u0007\n<i>${'x'.repeat(100)}`,
    });
    expect(body.client_name).toMatch(/^a b <i>x+$/);
    expect(body.client_name).toHaveLength(64);
  });

  const badUris = [
    'javascript:alert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'about:blank',
    'app.example:/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'http://app.example/callback',
    'http://127.0.0.1.evil.example/',
    'http://localhost.evil.example/',
    'https://app.example/#x',
    'https://user@app.example/',
    'https://user:secret@app.example/',
    'https://app.example\\@evil.example/',
    'https://app.example/ x',
    'https:///callback',
    '//app.example/',
    '/callback',
    'https://',
    '',
    `https://app.example/${'x'.repeat(2_100)}`,
  ];
  it.each(badUris)('refuses to send codes to %j', async (uri) => {
    const { status, body } = await register({ redirect_uris: [uri, uri] });
    expect({ status, error: body.error }).toEqual({
      status: 400,
      error: 'invalid_redirect_uri',
    });
  });

  it('leaves them out beside one to which codes may go', async () => {
    const { status, body } = await register({ redirect_uris: [...badUris, LOCAL] });
    expect(status).toBe(201);
    expect(body.redirect_uris).toEqual([LOCAL]);
  });

  it('takes of the three addresses of Cursor those to which codes may go, and no other later', async () => {
    const app = 'cursor://anysphere.cursor-mcp/oauth/callback';
    const page = 'https://www.cursor.com/agents/mcp/oauth/callback';
    const { status, body } = await register({
      client_name: 'Cursor',
      redirect_uris: [app, page, LOCAL],
    });
    expect(status).toBe(201);
    expect(body.redirect_uris).toEqual([page, LOCAL]);
    expect(await known(body.client_id)).toBe(true);
    const { url } = await authorizationUrl(server, { client_id: body.client_id, redirectUri: app });
    expect((await new Browser(world.base).get(url)).status).toBe(400);
  });

  const wrong: unknown[] = [
    {},
    { redirect_uris: [] },
    { redirect_uris: LOCAL },
    { redirect_uris: [1] },
    { redirect_uris: Array.from({ length: 65 }, (_, index) => `${LOCAL}${index}`) },
    { redirect_uris: [LOCAL], client_name: 1 },
    { redirect_uris: [LOCAL], client_name: 'a\0b' },
    { redirect_uris: [LOCAL], client_name: 'x'.repeat(4_097) },
    { redirect_uris: [LOCAL], grant_types: ['client_credentials'] },
    { redirect_uris: [LOCAL], grant_types: ['implicit'], response_types: ['token'] },
    { redirect_uris: [LOCAL], response_types: ['token'] },
    [],
    'null',
    '{',
    '"x"',
    `{"x":"${'x'.repeat(20_000)}"}`,
  ];
  it.each([
    [
      'null for what it does not say',
      { redirect_uris: [LOCAL], client_name: null, grant_types: null, response_types: null },
    ],
    ['a name longer than any page shows', { redirect_uris: [LOCAL], client_name: 'x'.repeat(500) }],
    [
      'a redirect URI for each of many ports',
      { redirect_uris: Array.from({ length: 24 }, (_, index) => `${LOCAL}/${index}`) },
    ],
    ['https on this machine', { redirect_uris: ['https://localhost:8443/callback', LOCAL] }],
  ])('takes %s', async (_, body) => {
    const answer = await register(body);
    expect(answer.status, JSON.stringify(answer.body)).toBe(201);
    expect(String(answer.body.client_name).length).toBeLessThanOrEqual(64);
    // The authorization server takes it as well: the person is asked to log in.
    const [redirectUri = ''] = body.redirect_uris;
    const client = { client_id: String(answer.body.client_id), redirectUri };
    const page = await allowAll(
      new Browser(world.base),
      (await authorizationUrl(server, client)).url,
    );
    expect(page.url.startsWith(`${redirectUri}?code=`), page.url).toBe(true);
  });

  it('refuses everything else in its own words, never with a failure', async () => {
    for (const body of wrong) {
      const answer = await register(body);
      expect(answer.status, JSON.stringify(body)).toBe(400);
      expect(answer.body.error, JSON.stringify(body)).toMatch(/^invalid_/);
    }
    expect((await register('x=1', 'application/x-www-form-urlencoded')).status).toBe(400);
  });

  it('forgets a client nobody allowed anything after a day, and no other', async () => {
    const [unused, used] = [await registerApp(server, LOCAL), await registerApp(server, LOCAL)];
    await allowAll(new Browser(world.base), (await authorizationUrl(server, used)).url);
    world.clock.shift(DAY_MS + 1);
    expect(await known(unused.client_id)).toBe(false);
    expect(await known(used.client_id)).toBe(true);
  });

  it('lets a flood wait, and keeps no more than a thousand of it', async () => {
    world.clock.shift(MINUTE_MS);
    const used = await registerApp(server, LOCAL);
    await allowAll(new Browser(world.base), (await authorizationUrl(server, used)).url);
    const soon = new Date(world.clock.now() + 60_000);
    await acrossTenants(world.app.db, 'seed', (q) =>
      q
        .insertInto('svc_oauth_store')
        .values(
          Array.from({ length: 1_500 }, (_, index) => ({
            kind: 'Client',
            id: `dyn_flood${index}`,
            payload: '{}',
            expiresAt: soon,
            source: '192.0.2.1',
          })),
        )
        .execute(),
    );
    const answers: Awaited<ReturnType<typeof register>>[] = [];
    for (let count = 0; count < 70; count += 1) {
      answers.push(await register({ redirect_uris: [LOCAL] }));
    }
    const made = answers.filter(({ status }) => status === 201);
    const waiting = answers.filter(({ status }) => status === 429);
    expect(made.length + waiting.length).toBe(70);
    expect(waiting.length).toBeGreaterThan(5);
    expect(Number(waiting[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const rows = await acrossTenants(world.app.db, 'doctor', (q) =>
      q.selectFrom('svc_oauth_store').select('id').where('kind', '=', 'Client').execute(),
    );
    // Those somebody uses are kept beside the thousand.
    expect(rows.length).toBeLessThan(1_010);
    expect(await known(String(made.at(-1)?.body.client_id))).toBe(true);
    expect(await known(used.client_id)).toBe(true);
    world.clock.shift(MINUTE_MS);
    expect((await register({ redirect_uris: [LOCAL] })).status).toBe(201);
  });

  it('stores so many authorization requests of a source and no more', async () => {
    world.clock.shift(MINUTE_MS);
    const { body } = await register({ redirect_uris: [LOCAL] });
    const client = { client_id: String(body.client_id), redirectUri: LOCAL };
    const { url } = await authorizationUrl(server, client);
    const ask = () => fetch(url, { redirect: 'manual', signal: AbortSignal.timeout(20_000) });
    const answers = await Promise.all(Array.from({ length: 320 }, ask));
    const waiting = answers.filter(({ status }) => status === 429);
    expect(waiting.length).toBeGreaterThanOrEqual(20);
    expect(Number(waiting[0]?.headers.get('retry-after'))).toBeGreaterThan(0);
    const rows = await acrossTenants(world.app.db, 'doctor', (q) =>
      q.selectFrom('svc_oauth_store').select('id').where('kind', '=', 'Interaction').execute(),
    );
    expect(rows.length).toBeLessThanOrEqual(310);
    world.clock.shift(MINUTE_MS);
    expect((await ask()).status).toBe(303);
  });
});
