import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';

import { bearerFor } from '../support/people/bearer.ts';
import { Browser } from '../support/people/browser.ts';
import {
  admin,
  allowAll,
  authorizationUrl,
  discover,
  newClient,
  refusal,
  registerApp,
  tokensFor,
} from '../support/people/oauth-client.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const WEB = 'https://app.example/callback';
const READ = '/api/v3/data/dashboard/system/health';
const ALL = 'svc:read svc:read-device svc:propose svc:chat';

const world = startedWorld();
const server = prepared(() => discover(world.base));
const client = prepared(() => registerApp(server, WEB));

const mcp = (token: string) =>
  fetch(`${world.base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
const rest = (token: string, path = READ) =>
  fetch(world.base + path, { headers: { authorization: `Bearer ${token}` } });

describe('an audience (RFC 8707, RFC 9728)', () => {
  it('of MCP opens MCP only, of the API the API and the chat only', async () => {
    const forMcp = await bearerFor(world.admin, { scope: ALL, audience: 'mcp' });
    const forApi = await bearerFor(world.admin, { scope: ALL, audience: 'api' });
    expect([(await mcp(forMcp)).status, (await mcp(forApi)).status]).toEqual([200, 401]);
    for (const path of [READ, '/api/v3/agentic/models'])
      expect([(await rest(forMcp, path)).status, (await rest(forApi, path)).status]).toEqual([
        401, 200,
      ]);
  });

  it('that is the other one is named to its holder, until the token has ended', async () => {
    const forMcp = await bearerFor(world.admin, { scope: ALL, audience: 'mcp' });
    const forApi = await bearerFor(world.admin, { scope: ALL, audience: 'api' });
    const there = [`${world.base}/mcp`, `${world.base}/api/v3`] as const;
    const said = ([named, asked]: readonly [string, string]) =>
      `This token is for ${named}; here one for ${asked} is needed`;
    const atApi = await rest(forMcp);
    expect([atApi.status, await atApi.json()]).toEqual([
      401,
      expect.objectContaining({ ok: false, code: 'R401', message: said(there) }),
    ]);
    expect(atApi.headers.get('www-authenticate')).toContain(
      `error="invalid_token", error_description="${said(there)}"`,
    );
    const atMcp = await mcp(forApi);
    const words = said([there[1], there[0]]);
    expect([atMcp.status, await atMcp.json()]).toEqual([
      401,
      { error: 'R401', error_description: words },
    ]);
    expect(atMcp.headers.get('www-authenticate')).toContain(`error_description="${words}"`);
    world.clock.shift(3_600_000);
    const ended: unknown = await (await rest(forMcp)).json();
    expect(ended).toMatchObject({ message: 'No available authentication' });
    world.clock.shift(-3_600_000);
  });

  it('of a person is the one that was asked for, and no refresh makes another of it', async () => {
    const resource = `${world.base}/api/v3`;
    const { access, refresh } = await tokensFor(world.base, server, client, { resource });
    expect([(await rest(access)).status, (await mcp(access)).status]).toEqual([200, 401]);
    const other = oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh, {
      [oauth.allowInsecureRequests]: true,
      additionalParameters: { resource: `${world.base}/mcp` },
    });
    expect(
      await refusal(
        other.then((answer) => oauth.processRefreshTokenResponse(server, client, answer)),
      ),
    ).toEqual({ status: 400, error: 'invalid_target' });
  });

  it('is never two at once', async () => {
    const { url } = await authorizationUrl(server, client);
    url.searchParams.append('resource', `${world.base}/api/v3`);
    const page = await new Browser(world.base).get(url);
    expect(new URL(page.url).searchParams.get('error')).toBe('invalid_target');
    const program = await newClient(world.admin, server);
    const resource = `${world.base}/other`;
    expect(await refusal(program.ask({ resource }))).toMatchObject({ error: 'invalid_target' });
  });

  it('is what the challenge of the API leads to', async () => {
    for (const headers of [{}, { authorization: 'Bearer nothing' }]) {
      const { status, headers: said } = await fetch(world.base + READ, { headers });
      const challenge = said.get('www-authenticate') ?? '';
      expect(status).toBe(401);
      expect(challenge.includes('error="invalid_token"')).toBe('authorization' in headers);
      const [, url = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? [];
      expect(await (await fetch(url)).json()).toMatchObject({
        resource: `${world.base}/api/v3`,
        authorization_servers: [world.base],
        scopes_supported: ALL.split(' '),
      });
    }
    const reader = await bearerFor(world.admin, { scope: 'svc:read', audience: 'api' });
    const short = await rest(reader, '/api/v3/agentic/models');
    expect([short.status, short.headers.get('www-authenticate')]).toEqual([
      403,
      'Bearer error="insufficient_scope", scope="svc:chat"',
    ]);
  });
});

describe('the consent page', () => {
  const ask = { scope: 'svc:read svc:read-device svc:propose' };

  it('says what each scope opens, with a box to take it away', async () => {
    const browser = new Browser(world.base);
    const login = await browser.get((await authorizationUrl(server, client, ask)).url);
    const page = await browser.submit(login, /\/login$/, admin);
    expect(page.text).toContain('over the tools for agents (MCP)');
    for (const [scope, words] of [
      ['svc:read', 'See the devices, points, values'],
      ['svc:read-device', 'Ask devices for fresh values'],
      ['svc:propose', 'Propose writes to devices'],
    ] as const) {
      expect(page.text).toContain(words);
      expect(page.text).toMatch(
        new RegExp(`<input type="checkbox" name="${scope}" value="yes" checked`),
      );
    }
    const none = { decision: 'allow', 'svc:read': '', 'svc:read-device': '', 'svc:propose': '' };
    const again = await browser.submit(page, /\/consent$/, none);
    expect([again.status, again.text.includes('at least one box')]).toEqual([422, true]);
  });

  it('gives what was left checked and nothing else', async () => {
    const taken = ['svc:read-device', 'svc:propose'];
    const tokens = await tokensFor(world.base, server, client, { ...ask, taken });
    expect(tokens.scope).toBe('svc:read');
  });

  it('asks again for what was taken away before, in the same browser too', async () => {
    const browser = new Browser(world.base);
    const asked = async () => (await authorizationUrl(server, client, ask)).url;
    await allowAll(browser, await asked(), admin, ['svc:propose']);
    const again = await browser.get(await asked());
    expect(again.forms.some(({ action }) => action.endsWith('/consent'))).toBe(true);
    await browser.submit(again, /\/consent$/, { decision: 'allow' });
    const third = await browser.get(await asked());
    expect(new URL(third.url).searchParams.has('code')).toBe(true);
  });
});
