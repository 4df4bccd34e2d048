import * as oauth from 'oauth4webapi';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { acrossTenants } from '../../src/db/tenant.ts';
import { Browser, type Page } from '../support/people/browser.ts';
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
} from '../support/people/oauth-client.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
const LOCAL = 'http://127.0.0.1:7777/callback';
/** Longer than the interval between two questions. */
const LATER_MS = 6_000;

const world = startedWorld();
const server = prepared(() => discover(world.base));

/** Registers a public client (RFC 7591), the answer checked. */
async function program(grants: string[] = [GRANT], redirectUris: string[] = []) {
  const answer = await oauth.dynamicClientRegistrationRequest(
    server,
    { client_name: 'Pump shell', grant_types: grants, redirect_uris: redirectUris },
    insecure,
  );
  const { client_id } = await oauth.processDynamicClientRegistrationResponse(answer);
  return { client_id, token_endpoint_auth_method: 'none', redirectUri: redirectUris[0] ?? '' };
}

/** A login begun by a program, the answer checked. */
async function begin(client: oauth.Client, parameters: Record<string, string> = {}) {
  const asked = { scope: 'svc:read', resource: `${world.base}/mcp`, ...parameters };
  const answer = await oauth.deviceAuthorizationRequest(
    server,
    client,
    oauth.None(),
    asked,
    insecure,
  );
  return oauth.processDeviceAuthorizationResponse(server, client, answer);
}

/** What the token endpoint answers the program now, checked. */
async function poll(client: oauth.Client, code: string) {
  const answer = await oauth.deviceCodeGrantRequest(server, client, oauth.None(), code, insecure);
  return oauth.processDeviceCodeResponse(server, client, answer);
}

async function begun(parameters: Record<string, string> = {}) {
  const client = await program();
  return { client, login: await begin(client, parameters), browser: new Browser(world.base) };
}

const isAt = (page: Page, form: string) =>
  page.forms.some(({ action }) => action.endsWith(`/${form}`));

/** Enters the code of a person, and goes on from the page that names the program. */
async function enter(browser: Browser, code: string): Promise<Page> {
  const page = await browser.get('/oauth2/device');
  const named = await browser.submit(page, /\/device$/, { user_code: code });
  return browser.submit(named, /\/device$/, { confirm: 'yes' });
}

async function allow(browser: Browser, code: string): Promise<Page> {
  const login = await enter(browser, code);
  const consent = isAt(login, 'login') ? await browser.submit(login, /\/login$/, admin) : login;
  return browser.submit(consent, /\/consent$/, { decision: 'allow' });
}

describe('the login of a program without a browser (RFC 8628)', () => {
  it('is announced in the metadata', () => {
    expect(server.device_authorization_endpoint).toBe(`${world.base}/oauth2/device_authorization`);
    expect(server.grant_types_supported).toContain(GRANT);
  });

  it('leads by a short code, the pages and one question to tokens', async () => {
    const { client, login, browser } = await begun({ scope: 'svc:read svc:propose svc:nonsense' });
    expect(login).toMatchObject({
      user_code: expect.stringMatching(/^[B-DF-HJ-NP-TV-XZ]{4}-[B-DF-HJ-NP-TV-XZ]{4}$/),
      verification_uri: `${world.base}/oauth2/device`,
      verification_uri_complete: `${world.base}/oauth2/device?user_code=${login.user_code}`,
      expires_in: 600,
      interval: 5,
    });
    expect(await refusal(poll(client, login.device_code))).toEqual({
      status: 400,
      error: 'authorization_pending',
    });
    const done = await allow(browser, login.user_code.toLowerCase().replace('-', ' '));
    expect(done).toMatchObject({ status: 200, text: expect.stringContaining('is let in') });
    world.clock.shift(LATER_MS);
    const tokens = await poll(client, login.device_code);
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'svc:read svc:propose' });
    expect(await bearerCaller(world.app, tokens.access_token, 'mcp')).toMatchObject({
      name: 'admin',
      clientId: client.client_id,
      scopes: ['svc:read', 'svc:propose'],
    });
    const next = await refresh(server, client, z.string().parse(tokens.refresh_token));
    expect(next.scope).toBe('svc:read svc:propose');
  });

  it('shows what asks, from where, and for what, with a warning on each page', async () => {
    const { login, browser } = await begun({ scope: 'svc:read svc:propose' });
    const filled = await browser.get(String(login.verification_uri_complete));
    expect(filled.forms[0]?.fields['user_code']).toBe(login.user_code);
    const named = await browser.submit(filled, /\/device$/);
    const entered = await browser.submit(named, /\/device$/, { confirm: 'yes' });
    const consent = await browser.submit(entered, /\/login$/, admin);
    for (const page of [named, consent]) {
      expect(page.text).toContain('Pump shell');
      expect(page.text).toContain('127.0.0.1');
      expect(page.text).toContain('Do not continue unless you started this');
      expect(page.text).toContain('has not verified');
    }
    for (const page of [filled, named, entered, consent]) {
      expect(page.text).not.toMatch(/<script|\son\w+=|javascript:/i);
      expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
    expect(consent.text).toContain('svc:propose');
  });

  it('gives no more than what was left checked', async () => {
    const { client, login, browser } = await begun({ scope: 'svc:read svc:propose' });
    const page = await enter(browser, login.user_code);
    const consent = await browser.submit(page, /\/login$/, admin);
    await browser.submit(consent, /\/consent$/, { decision: 'allow', 'svc:propose': '' });
    expect((await poll(client, login.device_code)).scope).toBe('svc:read');
  });

  it('asks a person each time, also one that let the program in before', async () => {
    const client = await program([GRANT, 'authorization_code'], [LOCAL]);
    const browser = new Browser(world.base);
    const { url, verifier, state } = await authorizationUrl(server, client);
    const back = await allowAll(browser, url);
    await redeem(server, client, callback(server, client, back, state), verifier);
    const login = await begin(client);
    const page = await enter(browser, login.user_code);
    expect(isAt(page, 'consent')).toBe(true);
    expect(await refusal(poll(client, login.device_code))).toMatchObject({
      error: 'authorization_pending',
    });
  });

  it('is slowed down by a program that asks sooner than it was told', async () => {
    const { client, login } = await begun();
    const asked = () => refusal(poll(client, login.device_code));
    expect(await asked()).toMatchObject({ error: 'authorization_pending' });
    expect(await asked()).toEqual({ status: 400, error: 'slow_down' });
    world.clock.shift(LATER_MS);
    expect(await asked()).toMatchObject({ error: 'authorization_pending' });
  });

  it.each(['on the page that names the program', 'on the login page', 'on the consent page'])(
    'is denied by a person %s',
    async (where) => {
      const { client, login, browser } = await begun();
      const code = { user_code: login.user_code };
      let page = await browser.submit(await browser.get('/oauth2/device'), /\/device$/, code);
      if (where.includes('names')) {
        page = await browser.submit(page, /\/device$/, { abort: 'yes' });
      } else {
        page = await browser.submit(page, /\/device$/, { confirm: 'yes' });
        if (where.includes('consent')) page = await browser.submit(page, /\/login$/, admin);
        page = await browser.submit(page, /\/deny$|\/consent$/, { decision: 'deny' });
      }
      expect(page.text).toContain('The program gets nothing');
      expect(await refusal(poll(client, login.device_code))).toEqual({
        status: 400,
        error: 'access_denied',
      });
    },
  );

  it('is over after ten minutes, for the program and for the person', async () => {
    const { client, login, browser } = await begun();
    const page = await browser.get('/oauth2/device');
    world.clock.shift(600_001);
    expect(await refusal(poll(client, login.device_code))).toEqual({
      status: 400,
      error: 'expired_token',
    });
    const late = await browser.submit(page, /\/device$/, { user_code: login.user_code });
    expect(late).toMatchObject({ status: 422, text: expect.stringContaining('is over') });
  });

  it('gives tokens once, and takes them back when its code is used again', async () => {
    const { client, login, browser } = await begun();
    await allow(browser, login.user_code);
    const { access_token } = await poll(client, login.device_code);
    world.clock.shift(LATER_MS);
    expect(await refusal(poll(client, login.device_code))).toMatchObject({
      error: 'invalid_grant',
    });
    world.clock.shift(1_001);
    await expect(bearerCaller(world.app, access_token, 'mcp')).rejects.toMatchObject({
      status: 401,
    });
  });

  it('is of the client that began it', async () => {
    const { login, browser } = await begun();
    await allow(browser, login.user_code);
    expect(await refusal(poll(await program(), login.device_code))).toMatchObject({
      error: 'invalid_grant',
    });
  });

  it('is open to clients that ask for it alone', async () => {
    const web = await program(['authorization_code'], [LOCAL]);
    expect(await refusal(begin(web))).toEqual({ status: 400, error: 'invalid_request' });
    await expect(program(['authorization_code'])).rejects.toMatchObject({ status: 400 });
    await expect(program(['implicit'], [LOCAL])).rejects.toMatchObject({ status: 400 });
  });

  it('is open to a client that an administrator registered, whose name is verified', async () => {
    const { client_id } = z.looseObject({ client_id: z.string() }).parse(
      await world.admin.data('/api/v3/auth/mcp/client/register', {
        client_name: 'Night report',
        grant_types: [GRANT, 'refresh_token'],
        token_endpoint_auth_method: 'none',
      }),
    );
    const client = { client_id };
    const login = await begin(client);
    await allow(new Browser(world.base), login.user_code);
    expect((await poll(client, login.device_code)).scope).toBe('svc:read');
    await world.tenant('device-other');
    const again = await begin(client);
    const page = await enter(new Browser(world.base), again.user_code);
    expect(page.text).not.toContain('has not verified');
  });

  it('keeps no code as it is in the database, at any step', async () => {
    const { login, browser } = await begun();
    const page = await enter(browser, login.user_code);
    expect(isAt(page, 'login')).toBe(true);
    const rows = await acrossTenants(world.app.db, 'doctor', (q) =>
      q.selectFrom('svc_oauth_store').selectAll().execute(),
    );
    const kept = JSON.stringify(rows);
    expect(kept).toContain('"DeviceCode"');
    const plain = login.user_code.replace('-', '');
    for (const secret of [login.device_code, login.user_code, plain])
      expect(kept).not.toContain(secret);
  });

  it('takes no form from elsewhere', async () => {
    const { client, login, browser } = await begun();
    const fields = { user_code: login.user_code, confirm: 'yes' };
    const without = await browser.post('/oauth2/device', fields);
    expect(without).toMatchObject({ status: 200, text: expect.stringContaining('Enter the code') });
    const strange = { cookie: 'svc_session=nothing' };
    expect((await browser.post('/oauth2/device', fields, strange)).status).toBe(200);
    expect((await new Browser(world.base).get('/oauth2/device/nothing')).status).toBe(200);
    const odd = { ...fields, user_code: '\u0000\u00e9'.repeat(500) };
    expect((await browser.post('/oauth2/device', odd)).status).toBe(422);
    await browser.get('/oauth2/device');
    const forged = await browser.post('/oauth2/device', { ...fields, xsrf: 'x'.repeat(48) });
    expect(forged.status).toBe(422);
    expect(await refusal(poll(client, login.device_code))).toMatchObject({
      error: 'authorization_pending',
    });
  });

  it('says where it came from in the audit log of its person', async () => {
    const { client, login, browser } = await begun();
    await allow(browser, login.user_code);
    await poll(client, login.device_code);
    const list = async (resourceType: string) =>
      JSON.stringify(
        await world.admin.data('/api/v3/auth/identity_audit/list', { resourceType, limit: 5 }),
      );
    expect(await list('OAUTH_GRANT')).toContain('askedFrom');
    await expect.poll(() => list('OAUTH_TOKEN')).toContain(GRANT);
  });
});

describe('a flood', () => {
  it('of codes that are tried waits, and a wrong one is answered alike', async () => {
    world.clock.shift(60_001);
    const browser = new Browser(world.base);
    let page = await browser.get('/oauth2/device');
    for (let tried = 0; tried < 25 && page.status !== 429; tried += 1) {
      page = await browser.submit(page, /\/device$/, { user_code: `BBBB-BBB${'BCDF'[tried % 4]}` });
      if (page.status !== 429) {
        expect(page).toMatchObject({ status: 422, text: expect.stringContaining('no such code') });
      }
    }
    expect(page.status).toBe(429);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    world.clock.shift(60_001);
  });

  it('of logins that are begun waits, and no more than twenty of a source stay open', async () => {
    const { client, login, browser } = await begun();
    const open = async () =>
      acrossTenants(world.app.db, 'doctor', (q) =>
        q
          .selectFrom('svc_oauth_store')
          .select('id')
          .where('kind', '=', 'DeviceCode')
          .where('source', 'is not', null)
          .execute(),
      );
    let refused: unknown = null;
    for (let started = 0; started < 40 && refused === null; started += 1) {
      refused = await begin(client).then(
        () => null,
        () => 'refused',
      );
    }
    expect(refused).toBe('refused');
    expect((await open()).length).toBeLessThanOrEqual(20);
    const page = await browser.get('/oauth2/device');
    const gone = await browser.submit(page, /\/device$/, { user_code: login.user_code });
    expect(gone.text).toContain('no such code');
  });
});
