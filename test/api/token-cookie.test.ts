import { randomUUID } from 'node:crypto';
import { once } from 'node:events';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createGateway } from '../../src/gateway/server.ts';
import { person, sendJson } from '../support/people/console-session.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, started, startedWorld } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

const TOKEN = '/api/v3/auth/token';
const LIST = '/api/v3/manager/device/list';
const HOUR_MS = 3_600_000;
const NAMES = { 'x-auth-tenant': person.tenant, 'x-auth-login': person.name };
const Answer = z.looseObject({ data: z.string() });

const world = startedWorld();
const kept = prepared(() => logIn(world.base));

/** Logs in as a web client does that stores no token. */
async function logIn(base: string, who = person) {
  const salt = randomUUID();
  const answer = await sendJson(base, `${TOKEN}/generate`, { ...who, salt });
  const [setCookie = ''] = answer.headers.getSetCookie();
  const [cookie = ''] = setCookie.split(';');
  const { data: token } = Answer.parse(await answer.json());
  return { salt, token, setCookie, cookie };
}

const listed = async (headers: Record<string, string>, base = world.base): Promise<number> =>
  (await sendJson(base, LIST, {}, headers)).status;

describe('the cookie of a login', () => {
  it('is set beside the token, and taken away by a logout', async () => {
    const mine = await world.tenant('cookie-leaver');
    const who = { ...person, tenant: mine.tenant, name: `${mine.tenant}-admin` };
    const { setCookie, cookie, token } = await logIn(world.base, who);
    expect(setCookie).toMatch(
      /^svc_token=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    expect(token.split('.')).toHaveLength(3);
    const headers = { 'x-auth-tenant': who.tenant, 'x-auth-login': who.name, cookie };
    expect(await listed(headers)).toBe(200);
    world.clock.shift(1);
    const left = await sendJson(world.base, `${TOKEN}/cancel`, {}, headers);
    expect(left.headers.getSetCookie().join()).toMatch(/^svc_token=; Path=\/; Max-Age=0;/);
    expect(await listed(headers)).toBe(401);
  });

  it('is not set where the login is refused', async () => {
    const wrong = { ...person, password: 'wrong', salt: 'a-salt' };
    const answer = await sendJson(world.base, `${TOKEN}/generate`, wrong);
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []]);
    await logIn(world.base); // a success forgets the failure
  });

  it('belongs to this host alone over TLS', async () => {
    const config = { ...world.app.config, baseUrl: 'https://platform.example' };
    const node = createGateway(otherNode(world.app, { config }), () => []);
    const listener = node.listen(0, '127.0.0.1');
    try {
      await once(listener, 'listening');
      const { port } = z.object({ port: z.number() }).parse(listener.address());
      const { setCookie, cookie } = await logIn(`http://127.0.0.1:${port}`);
      expect(setCookie).toMatch(/^__Host-svc_token=[\w.-]+; Path=\/; .*; Secure$/);
      expect(await listed({ ...NAMES, cookie }, `http://127.0.0.1:${port}`)).toBe(200);
    } finally {
      listener.close();
    }
  });

  it('opens with the headers of tenant and login what the three headers open', async () => {
    const { cookie, salt, token } = kept;
    expect(await listed({ ...NAMES, cookie })).toBe(200);
    expect(await listed({ ...NAMES, 'x-auth-token': JSON.stringify({ salt, token }) })).toBe(200);
    const asked = await sendJson(
      world.base,
      `${TOKEN}/check`,
      { ...person, salt, token },
      { ...NAMES, cookie, origin: world.base, 'sec-fetch-site': 'same-origin' },
    );
    expect(await asked.json()).toMatchObject({ data: true });
  });

  it('opens nothing alone, nor for another tenant or name', async () => {
    const other = await world.tenant('cookie-other');
    const { cookie } = kept;
    for (const headers of [
      { cookie },
      { cookie, 'x-auth-tenant': 'default' },
      { cookie, 'x-auth-login': 'admin' },
      { ...NAMES, cookie, 'x-auth-tenant': other.tenant },
      { ...NAMES, cookie, 'x-auth-login': `${other.tenant}-admin` },
      { ...NAMES, cookie: `${cookie}x` },
      { ...NAMES, cookie: 'svc_token=' },
      { ...NAMES, cookie: `svc_token=.${kept.token}` },
      { ...NAMES, cookie: cookie.replace('svc_token', 'svc_console') },
      NAMES,
    ])
      expect(await listed(headers)).toBe(401);
  });

  it('does not count for pages of other sites', async () => {
    const { host } = new URL(world.base);
    for (const foreign of [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: `http://${host}.evil.test` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: world.base },
    ])
      expect(await listed({ ...NAMES, cookie: kept.cookie, ...foreign })).toBe(401);
    const form = new URLSearchParams({ ...person, salt: 'a-salt' });
    const byForm = await fetch(`${world.base}${TOKEN}/generate?${form.toString()}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(byForm.status).toBeGreaterThanOrEqual(400);
    expect(byForm.headers.getSetCookie()).toEqual([]);
  });

  it('gives way to a token in the headers, right or wrong', async () => {
    const wrong = JSON.stringify({ salt: kept.salt, token: 'nothing' });
    expect(await listed({ ...NAMES, cookie: kept.cookie, 'x-auth-token': wrong })).toBe(401);
    expect(await listed({ ...NAMES, cookie: kept.cookie, authorization: 'Bearer nothing' })).toBe(
      200,
    );
  });

  it('ends with its token, after twelve hours', async () => {
    const { cookie } = await logIn(world.base);
    world.clock.shift(12 * HOUR_MS - 60_000);
    expect(await listed({ ...NAMES, cookie })).toBe(200);
    world.clock.shift(61_000);
    expect(await listed({ ...NAMES, cookie })).toBe(401);
  });
});

describe('the cookie of a login with the auth center elsewhere', () => {
  const split = started(startSplit);

  it('goes through a gateway with the auth center elsewhere', async () => {
    const { base } = split;
    const { cookie } = await logIn(base);
    expect(await listed({ ...NAMES, cookie }, base)).toBe(200);
    expect(await listed({ ...NAMES, cookie, origin: 'https://evil.test' }, base)).toBe(401);
    split.clock.shift(1);
    const left = await sendJson(base, `${TOKEN}/cancel`, {}, { ...NAMES, cookie });
    expect(left.headers.getSetCookie().join()).toContain('Max-Age=0');
    expect(await listed({ ...NAMES, cookie }, base)).toBe(401);
  });
});
