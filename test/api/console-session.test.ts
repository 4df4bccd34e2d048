import { once } from 'node:events';

import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { createGateway } from '../../src/gateway/server.ts';
import { addPerson, PASSWORD } from '../support/people/accounts.ts';
import { beginConsole, person, sendJson } from '../support/people/console-session.ts';
import { login, request } from '../support/people/session.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, started, startedWorld } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

const SESSION = '/api/v3/auth/session';
const LIST = '/api/v3/manager/device/list';
const ADD = '/api/v3/manager/label/add';
const HOUR_MS = 3_600_000;

const world = startedWorld();
const session = prepared(() => begin());

const begin = () => beginConsole(world.base);
/** The status of a list, as a call of the console asks for it. */
const listed = async (headers: Record<string, string>, base = world.base): Promise<number> =>
  (await sendJson(base, LIST, {}, headers)).status;
const currentOf = (headers: Record<string, string>) =>
  request(world.base, 'GET', `${SESSION}/current`, { headers });

describe('a login of a browser', () => {
  it('sets a cookie that no script reads and no other site sends, and says who is logged in', async () => {
    const answer = await sendJson(world.base, `${SESSION}/begin`, person);
    const [cookie = ''] = answer.headers.getSetCookie();
    expect(cookie).toMatch(
      /^svc_console=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/,
    );
    const { data } = z.looseObject({ data: z.looseObject({}) }).parse(await answer.json());
    expect(data).toMatchObject({
      person: { loginName: 'admin' },
      tenant: { tenantCode: 'default', timezone: 'UTC' },
      permissions: ['*'],
    });
    const endsMs = Date.parse(String(data['expiresAt']));
    expect(Math.abs(endsMs - world.clock.now() - 12 * HOUR_MS)).toBeLessThan(HOUR_MS);
  });

  it('belongs to this host alone over TLS', async () => {
    const config = { ...world.app.config, baseUrl: 'https://platform.example' };
    const listener = createGateway(otherNode(world.app, { config }), () => []).listen(
      0,
      '127.0.0.1',
    );
    try {
      await once(listener, 'listening');
      const { port } = z.object({ port: z.number() }).parse(listener.address());
      const { setCookie, headers } = await beginConsole(`http://127.0.0.1:${port}`);
      expect(setCookie).toMatch(
        /^__Host-svc_console=[\w.-]+; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict; Secure$/,
      );
      const origin = { origin: 'https://platform.example', ...headers };
      expect(await listed(origin, `http://127.0.0.1:${port}`)).toBe(200);
    } finally {
      listener.close();
    }
  });

  it('never shows its token in an answer', async () => {
    const answer = await sendJson(world.base, `${SESSION}/begin`, person);
    const [, token = ''] = /=([^;]+)/.exec(answer.headers.getSetCookie().join()) ?? [];
    const proof = await answer.text();
    const asked = await currentOf({ cookie: `svc_console=${token}` });
    expect(token.length).toBeGreaterThan(100);
    for (const text of [proof, JSON.stringify(asked.body)])
      for (const part of token.split('.')) expect(text).not.toContain(part);
  });

  it('is refused as every other login is, and sets no cookie then', async () => {
    for (const wrong of [{ password: 'wrong' }, { tenant: 'nowhere' }, { name: 'nobody-1' }]) {
      const answer = await sendJson(world.base, `${SESSION}/begin`, { ...person, ...wrong });
      expect(answer.status).toBe(401);
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect(await answer.json()).toMatchObject({ message: 'Tenant, login or password is wrong' });
    }
    await begin(); // a success forgets the failures
  });

  it('is throttled with the logins of programs', async () => {
    const other = await world.tenant('console-throttled');
    const wrong = { tenant: other.tenant, name: `${other.tenant}-admin`, password: 'wrong' };
    for (let attempt = 0; attempt < 5; attempt += 1)
      await request(world.base, 'POST', '/api/v3/auth/token/generate', {
        body: { ...wrong, salt: 'a-salt' },
      });
    const answer = await sendJson(world.base, `${SESSION}/begin`, wrong);
    expect(answer.status).toBe(429);
    expect(Number(answer.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('says that the password must be changed first, and works with the new one', async () => {
    const { principalId, name } = await addPerson(world.admin);
    const first = { tenant: 'default', name, password: 'a first password' };
    await world.admin.data('/api/v3/auth/local_credential/add', {
      principalId,
      loginName: name,
      password: first.password,
    });
    const answer = await sendJson(world.base, `${SESSION}/begin`, first);
    expect(answer.headers.getSetCookie()).toEqual([]);
    expect(await answer.json()).toMatchObject({ ok: false, code: 'R4031' });
    await request(world.base, 'POST', '/api/v3/auth/token/change_password', {
      body: { ...first, newPassword: PASSWORD },
    });
    const { headers } = await beginConsole(world.base, { ...first, password: PASSWORD });
    expect((await currentOf(headers)).body.data).toMatchObject({ person: { principalId } });
  });
});

describe('the session of a browser', () => {
  it('opens what the login of its person opens', async () => {
    expect(await listed(session.headers)).toBe(200);
    const { proof } = session;
    expect((await currentOf({ cookie: session.cookie })).body.data).toMatchObject({ proof });
  });

  it('is no session without its proof, nor with another one', async () => {
    const { cookie, proof } = session;
    const other = await begin();
    for (const headers of [
      { cookie },
      { cookie, 'x-svc-proof': '' },
      { cookie, 'x-svc-proof': `${proof.slice(0, -1)}_` },
      { cookie, 'x-svc-proof': other.proof },
      { 'x-svc-proof': proof },
    ])
      expect(await listed(headers)).toBe(401);
  });

  it('does not count for pages of other sites, whatever they send', async () => {
    const { headers } = session;
    const { host } = new URL(world.base);
    for (const foreign of [
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: `http://${host}.evil.test` },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site', origin: world.base },
      { 'sec-fetch-site': 'none' },
    ]) {
      expect(await listed({ ...headers, ...foreign })).toBe(401);
      const asked = await fetch(`${world.base}${SESSION}/current`, {
        headers: { ...headers, ...foreign },
      });
      expect(asked.status).toBe(403);
      expect(await asked.text()).not.toContain(session.proof);
    }
    const own = { origin: world.base, 'sec-fetch-site': 'same-origin' };
    expect(await listed({ ...headers, ...own })).toBe(200);
  });

  it('lets no form, image or simple request of another site change or begin anything', async () => {
    const before = await world.admin.data('/api/v3/manager/label/list', {});
    const { cookie } = session;
    const query = '?labelName=forged&entityTypeFlag=DEVICE';
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'])
      for (const path of [`${ADD}${query}`, `${SESSION}/end`, `${SESSION}/begin`])
        for (const body of ['', JSON.stringify({ labelName: 'forged', ...person })]) {
          const answer = await fetch(world.base + path, {
            method: 'POST',
            headers: { cookie, 'content-type': type, origin: 'https://evil.test' },
            body,
          });
          expect(answer.status, `${path} ${type}`).toBeGreaterThanOrEqual(400);
          expect(answer.headers.getSetCookie()).toEqual([]);
        }
    const byForm = await fetch(
      `${world.base}${SESSION}/begin?${String(new URLSearchParams(person))}`,
      {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      },
    );
    expect([byForm.status, byForm.headers.getSetCookie()]).toEqual([415, []]);
    const image = await fetch(`${world.base}${ADD}${query}`, { headers: { cookie } });
    expect(image.status).toBeGreaterThanOrEqual(400);
    expect(await world.admin.data('/api/v3/manager/label/list', {})).toEqual(before);
    expect(await listed(session.headers)).toBe(200);
  });

  it('gives way to a credential that the call itself carries, right or wrong', async () => {
    const other = await world.tenant('console-explicit');
    const both = await currentOf({ ...session.headers, ...other.headers });
    expect(both.body.data).toMatchObject({ tenant: { tenantCode: other.tenant }, proof: null });
    expect(await listed({ ...session.headers, authorization: 'Bearer nothing' })).toBe(401);
    expect(await listed({ ...session.headers, 'x-auth-tenant': 'default' })).toBe(401);
  });

  it('is an interactive login: it may do what no token may', async () => {
    const { headers } = session;
    const body = { keyName: 'from the console', audience: 'api', scopes: ['svc:read'] };
    const made = await request(world.base, 'POST', '/api/v3/auth/key/add', { body, headers });
    expect(made.status).toBe(200);
  });

  it('ends for every browser and program of the person with a logout in one', async () => {
    const other = await world.tenant('console-leaver');
    const who = { ...person, tenant: other.tenant, name: `${other.tenant}-admin` };
    const [here, there] = [
      await beginConsole(world.base, who),
      await beginConsole(world.base, who),
    ];
    world.clock.shift(1);
    const answer = await sendJson(world.base, `${SESSION}/end`, {}, here.headers);
    expect(answer.headers.getSetCookie().join()).toMatch(/^svc_console=; Path=\/; Max-Age=0;/);
    for (const { headers } of [here, there]) expect(await listed(headers)).toBe(401);
    expect((await other.get('/api/v3/auth/tenant/get_by_id', { id: other.tenantId })).status).toBe(
      401,
    );
    await login(world.base, who.tenant, who.name, who.password);
    expect(await listed((await beginConsole(world.base, who)).headers)).toBe(200);
  });

  it('ends with its token, after twelve hours', async () => {
    const { headers } = await begin();
    world.clock.shift(12 * HOUR_MS - 60_000);
    expect(await listed(headers)).toBe(200);
    world.clock.shift(61_000);
    expect(await listed(headers)).toBe(401);
    expect((await currentOf(headers)).status).toBe(401);
  });
});

describe('where the auth center is a process of its own', () => {
  const split = started(startSplit);

  it('begins, goes on and ends through the gateway, which alone identifies', async () => {
    const { base } = split;
    const { cookie, proof, headers } = await beginConsole(base);
    const current = () => request(base, 'GET', `${SESSION}/current`, { headers: { cookie } });
    expect((await current()).body.data).toMatchObject({ proof, person: { loginName: 'admin' } });
    expect(await listed(headers, base)).toBe(200);
    expect(await listed({ cookie }, base)).toBe(401);
    expect(await listed({ ...headers, origin: 'https://evil.test' }, base)).toBe(401);
    const byForm = await fetch(`${base}${SESSION}/begin?${String(new URLSearchParams(person))}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(byForm.status).toBe(415);
    const direct = await fetch(`${split.at.auth}${SESSION}/current`, { headers });
    expect(direct.status).toBe(401);
    split.clock.shift(1);
    const ended = await sendJson(base, `${SESSION}/end`, {}, headers);
    expect(ended.headers.getSetCookie().join()).toContain('Max-Age=0');
    expect(await listed(headers, base)).toBe(401);
    expect((await current()).status).toBe(401);
  });
});
