import { once } from 'node:events';

import express from 'express';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { oauthRouter } from '../../src/auth/oauth/mount.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { Browser, type Page } from '../support/people/browser.ts';
import {
  admin,
  allowAll,
  authorizationUrl,
  discover,
  registerApp,
} from '../support/people/oauth-client.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const WEB = 'https://app.example/callback';
const LOCAL = 'http://127.0.0.1:7777/callback';

const world = startedWorld();
const server = prepared(() => discover(world.base));

/** A fresh browser on the login page of a fresh client. */
async function open(redirectUri = WEB) {
  const browser = new Browser(world.base);
  const client = await registerApp(server, redirectUri);
  const { url } = await authorizationUrl(server, client);
  return { browser, client, url, login: await browser.get(url) };
}

const isAt = (page: Page, form: string) =>
  page.forms.some(({ action }) => action.endsWith(`/${form}`));
const errorAt = (page: Page) => new URL(page.url).searchParams.get('error');

describe('the login and consent pages', () => {
  it('take no form from elsewhere', async () => {
    const { browser, login } = await open();
    const action = `${login.url}/login`;
    expect((await browser.post(action, admin)).status).toBe(403);
    expect((await browser.post(action, { ...admin, proof: 'x'.repeat(43) })).status).toBe(403);
    const proven = { ...login.forms[0]?.fields, ...admin };
    for (const site of ['cross-site', 'same-site', 'none']) {
      const answer = await browser.post(action, proven, { 'sec-fetch-site': site });
      expect(answer.status, site).toBe(403);
    }
    const consent = await browser.post(action, proven, { 'sec-fetch-site': 'same-origin' });
    expect(consent.url).toMatch(/\/oauth2\/interaction\//);
    const unasked = await browser.post(`${consent.url}/consent`, { decision: 'allow' });
    expect(unasked.status).toBe(403);
  });

  it('take the form of another visit for nothing', async () => {
    const mine = await open();
    const theirs = await open();
    const filled = { ...theirs.login.forms[0]?.fields, ...admin };
    const own = await mine.browser.post(`${mine.login.url}/login`, filled);
    expect(own.status).toBe(403);
    const foreign = await mine.browser.post(`${theirs.login.url}/login`, filled);
    expect(foreign.status).toBe(400);
    expect((await new Browser(world.base).get(mine.login.url)).status).toBe(400);
  });

  it('cannot skip a step', async () => {
    const { browser, login } = await open();
    const proven = { ...login.forms[0]?.fields, decision: 'allow' };
    const page = await browser.post(`${login.url}/consent`, proven);
    expect(isAt(page, 'login')).toBe(true);
  });

  it('deny what is not plainly allowed', async () => {
    const { browser, login } = await open();
    const consent = await browser.submit(login, /\/login$/, admin);
    const page = await browser.submit(consent, /\/consent$/, { decision: 'ALLOW' });
    expect(errorAt(page)).toBe('access_denied');
    expect((await browser.get(consent.url)).status).toBe(400);
  });

  it('let nobody frame, keep, sniff or script them', async () => {
    const { browser, login, url } = await open();
    const wrong = await browser.submit(login, /\/login$/, { ...admin, password: 'wrong' });
    const consent = await browser.submit(login, /\/login$/, admin);
    const error = await browser.get(url.href.replace('dyn_', 'nobody_'));
    for (const page of [login, wrong, consent, error]) {
      expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
      expect(page.headers.get('x-frame-options')).toBe('DENY');
      expect(page.headers.get('cache-control')).toMatch(/no-store/);
      expect(page.headers.get('x-content-type-options')).toBe('nosniff');
      expect(page.headers.get('referrer-policy')).toBe('no-referrer');
      const policy = page.headers.get('content-security-policy') ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|script-src/);
      expect(page.text).not.toMatch(/<script|\son\w+=|javascript:/i);
    }
    expect([login.status, wrong.status, consent.status, error.status]).toEqual([
      200, 401, 200, 400,
    ]);
  });

  it('keep their cookies from scripts and other sites', async () => {
    const { browser, url } = await open();
    await allowAll(browser, url);
    const kept = browser.seen.filter((cookie) => !cookie.includes('expires=Thu, 01 Jan 1970'));
    expect(kept.length).toBeGreaterThan(4);
    for (const cookie of kept) {
      expect(cookie).toMatch(/; httponly/i);
      expect(cookie).toMatch(/; samesite=lax/i);
    }
  });

  it('show hostile text as text', async () => {
    const { browser, login } = await open();
    const hostile = '"><script>x</script>&\u2028';
    const page = await browser.submit(login, /\/login$/, {
      tenant: hostile,
      login: hostile,
      password: hostile,
    });
    expect(page.status).toBe(401);
    expect(page.text).not.toContain('<script');
    expect(page.forms[0]?.fields['tenant']).toBe(hostile);
  });

  it('answer forms nobody can read with a page, not with a failure', async () => {
    const { browser, login } = await open();
    const proof = login.forms[0]?.fields['proof'] ?? '';
    const huge = await browser.post(`${login.url}/login`, { proof, password: 'x'.repeat(20_000) });
    expect(huge.status).toBe(413);
    const many = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`f${index}`, 'x']));
    expect((await browser.post(`${login.url}/login`, many)).status).toBe(413);
    const twice = await browser.post(`${login.url}/login?x=1`, { proof, login: 'a\0b' });
    expect(twice.status).toBe(401);
    expect((await browser.get(`${world.base}/oauth2/interaction/%ff`)).status).toBe(400);
    expect((await browser.get(`${world.base}/oauth2/interaction/nothing`)).status).toBe(400);
    expect((await browser.get(`${world.base}/oauth2/authorize/nothing`)).status).toBe(400);
  });

  it('slow guessing down like the API', async () => {
    const { browser, login } = await open();
    let page = login;
    for (let attempt = 0; attempt < 12 && page.status !== 429; attempt += 1) {
      page = await browser.submit(login, /\/login$/, { ...admin, login: 'guessed', password: 'x' });
    }
    expect(page.status).toBe(429);
    expect(Number(page.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(page.text).toContain('Too many failed attempts');
  });
});

describe('who is asked, and how often', () => {
  it('asks once per login for the same client and scopes, and again for more', async () => {
    const { browser, client, url } = await open();
    await allowAll(browser, url);
    const again = await browser.get((await authorizationUrl(server, client)).url);
    expect(new URL(again.url).searchParams.has('code')).toBe(true);
    const more = { scope: 'svc:read svc:propose' };
    const asked = await browser.get((await authorizationUrl(server, client, more)).url);
    expect(isAt(asked, 'consent')).toBe(true);
    expect(asked.text).toContain('Propose writes to devices');
    const other = await registerApp(server, WEB);
    const fresh = await browser.get((await authorizationUrl(server, other)).url);
    expect(isAt(fresh, 'consent')).toBe(true);
  });

  it('asks every time for a program on the computer: any other could take its name', async () => {
    const { browser, client, url } = await open(LOCAL);
    const page = await browser.submit(await browser.get(url), /\/login$/, admin);
    expect(page.text).toContain('It runs on this computer');
    await browser.submit(page, /\/consent$/, { decision: 'allow' });
    const again = await browser.get((await authorizationUrl(server, client)).url);
    expect(isAt(again, 'consent')).toBe(true);
  });

  it('names the client, where the answer goes, the tenant, the login and the time', async () => {
    const { browser, login } = await open();
    expect(login.text).toContain('app.example');
    const { text } = await browser.submit(login, /\/login$/, admin);
    for (const part of ['Test App', 'app.example', 'default', 'admin', '30 days', 'See the']) {
      expect(text).toContain(part);
    }
  });

  it('asks for the login again after a logout elsewhere', async () => {
    const { browser, client, url } = await open();
    await allowAll(browser, url);
    const { url: pending } = await authorizationUrl(server, client, { scope: 'svc:propose' });
    const consent = await browser.get(pending);
    await world.admin.data('/api/v3/auth/token/cancel', {});
    expect((await browser.submit(consent, /\/consent$/, { decision: 'allow' })).status).toBe(400);
    const again = await browser.get((await authorizationUrl(server, client)).url);
    expect(isAt(again, 'login')).toBe(true);
    const page = await browser.submit(again, /\/login$/, admin);
    expect(isAt(page, 'consent')).toBe(true);
  });

  it('lets another person log in at the same browser', async () => {
    const { tenant } = await world.tenant('second');
    const { browser, client, url } = await open();
    await allowAll(browser, url);
    const login = await browser.get(
      (await authorizationUrl(server, client, { prompt: 'login' })).url,
    );
    const page = await browser.submit(login, /\/login$/, {
      ...admin,
      tenant,
      login: 'second-admin',
    });
    expect(isAt(page, 'consent')).toBe(true);
    expect(page.text).toContain('second-admin');
    const back = await browser.submit(page, /\/consent$/, { decision: 'allow' });
    expect(new URL(back.url).searchParams.has('code')).toBe(true);
  });

  it('lets a person cancel at the login already', async () => {
    const { browser, login } = await open();
    expect(errorAt(await browser.submit(login, /\/deny$/))).toBe('access_denied');
  });

  it('waits ten minutes', async () => {
    const { browser, login } = await open();
    world.clock.shift(10 * 60_000 + 1);
    expect((await browser.submit(login, /\/login$/, admin)).status).toBe(400);
  });
});

describe('a password that must be changed', () => {
  it('is changed on the page, under the rules of the API, and is a login', async () => {
    await acrossTenants(world.app.db, 'seed', (q) =>
      q.updateTable('svc_local_credential').set({ requirePasswordChange: 1 }).execute(),
    );
    const { browser, login } = await open();
    const page = await browser.submit(login, /\/login$/, admin);
    expect(isAt(page, 'password')).toBe(true);
    const change = (password: string, next: string, repeated = next) =>
      browser.submit(page, /\/password$/, {
        ...admin,
        password,
        new_password: next,
        repeated,
      });
    const next = 'another horse 43';
    expect((await change(admin.password, next, 'x')).text).toContain('differ');
    expect((await change('wrong', next)).status).toBe(401);
    expect((await change(admin.password, 'short')).status).toBe(422);
    const consent = await change(admin.password, next);
    expect(isAt(consent, 'consent')).toBe(true);
    const late = await open();
    expect((await late.browser.submit(late.login, /\/login$/, admin)).status).toBe(401);
  });
});

it('over TLS the cookies belong to this host alone', async () => {
  const secure = otherNode(world.app, {
    config: { ...world.app.config, baseUrl: 'https://platform.example' },
  });
  const listener = express().use(oauthRouter(secure)).listen(0, '127.0.0.1');
  try {
    await once(listener, 'listening');
    const { port } = z.object({ port: z.number() }).parse(listener.address());
    const client = await registerApp(server, WEB);
    const { url } = await authorizationUrl(server, client, {
      resource: 'https://platform.example/mcp',
    });
    const answer = await fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`, {
      redirect: 'manual',
    });
    expect(answer.headers.get('location')).toMatch(/^https:\/\/platform\.example\/|^\//);
    const cookies = answer.headers.getSetCookie();
    expect(cookies.filter((cookie) => cookie.startsWith('__Host-'))).toHaveLength(2);
    for (const cookie of cookies) {
      expect(cookie).toMatch(/^__(Host|Secure)-svc_/);
      expect(cookie).toMatch(/; secure/i);
      expect(cookie).not.toMatch(/domain=/i);
      if (cookie.startsWith('__Host-')) expect(cookie).toMatch(/; path=\/;/i);
    }
  } finally {
    listener.close();
  }
});
