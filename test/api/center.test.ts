import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { signPrincipal } from '../../src/auth/credential/trust.ts';
import type { App, Caller } from '../../src/kernel/app/app.ts';
import type { Center } from '../../src/kernel/process/layout.ts';
import { onboard } from '../support/devices/plant.ts';
import { request } from '../support/people/session.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

const ONE_ADMIN = { tenant: 'default', name: 'admin' };

/** docs/specification/trust.md 4: what a center believes when it is asked directly. */
describe('a center on a port of its own', () => {
  const split = started(startSplit);
  const plant = prepared(() => onboard(split.admin));
  const admin = prepared((): Caller => ({
    tenantId: split.admin.tenantId,
    principalId: principalIdOf(split.admin.headers['x-auth-token'] ?? ''),
    principalType: 'USER',
    name: 'admin',
    via: 'login',
    permissions: new Set(['*']),
  }));

  const signed = (app: App = split.gateway.app, caller: Caller = admin): Record<string, string> => {
    const { principal, sign } = signPrincipal(app, caller);
    return { 'x-auth-principal': principal, ...(sign === null ? {} : { 'x-auth-sign': sign }) };
  };
  const list = (center: Center, path: string, headers: Record<string, string>) =>
    request(split.at[center], 'POST', path, { body: {}, headers });

  it.each([
    ['auth', '/service_account/list'],
    ['manager', '/device/list'],
    ['data', '/point_command_history/list'],
    ['agentic', '/session/list'],
  ] as const)('%s answers its own table under the prefix and without it', async (center, path) => {
    for (const prefix of [`/api/v3/${center}`, '']) {
      const answer = await list(center, `${prefix}${path}`, signed());
      expect([answer.status, answer.body.code], prefix).toEqual([200, 'R200']);
      expect((await list(center, `${prefix}${path}`, {})).status, prefix).toBe(401);
    }
  });

  it('answers a path that is not there in the form of OpenAI where that is the chat’s', async () => {
    const asked = async (center: Center) => (await fetch(`${split.at[center]}/rerank`)).json();
    expect(await asked('agentic')).toMatchObject({ error: { code: 'unknown_url' } });
    expect(await asked('data')).toMatchObject({ ok: false, code: 'R404' });
  });

  it('serves neither the other centers nor what belongs to the gateway', async () => {
    for (const path of ['/api/v3/manager/device/list', '/device/list', '/mcp', '/nowhere'])
      expect((await list('data', path, signed())).status, path).toBe(404);
  });

  it('takes a caller without a principal as anonymous, whatever login it shows', async () => {
    const answer = await list('manager', '/device/list', split.admin.headers);
    expect([answer.status, answer.body.code]).toEqual([401, 'R401']);
    const bearer = { authorization: 'Bearer something' };
    expect((await list('manager', '/device/list', bearer)).status).toBe(401);
  });

  it('lets an anonymous caller log in, and nothing else', async () => {
    const salt = await request(split.at.auth, 'POST', '/token/salt', { body: ONE_ADMIN });
    expect(salt.body).toMatchObject({ ok: true, data: expect.any(String) });
    const prefixed = await request(split.at.auth, 'POST', '/api/v3/auth/token/salt', {
      body: ONE_ADMIN,
    });
    expect(prefixed.body.ok).toBe(true);
    expect((await list('auth', '/token/cancel', {})).status).toBe(401);
  });

  it('refuses a principal that is not signed, or signed wrongly', async () => {
    const good = signed();
    const principal = good['x-auth-principal'] ?? '';
    const sign = good['x-auth-sign'] ?? '';
    const { app } = split.gateway;
    const config = { ...app.config, hmacSecret: 'another secret' };
    const other = otherNode(app, { config });
    const attempts: Record<string, Record<string, string>> = {
      unsigned: { 'x-auth-principal': principal },
      'signature of another secret': signed(other),
      'changed principal': {
        'x-auth-principal': principal.replace('"via":"login"', '"via":"model"'),
        'x-auth-sign': sign,
      },
      'changed signature': {
        'x-auth-principal': principal,
        'x-auth-sign': sign.replace(/^./, (digit) => (digit === '0' ? '1' : '0')),
      },
      'short signature': { 'x-auth-principal': principal, 'x-auth-sign': sign.slice(1) },
      'principal twice': { 'x-auth-principal': `${principal}, ${principal}`, 'x-auth-sign': sign },
    };
    for (const [what, headers] of Object.entries(attempts)) {
      const answer = await list('manager', '/device/list', headers);
      expect([answer.status, answer.body.code], what).toEqual([401, 'R401']);
    }
    expect((await list('manager', '/device/list', good)).status).toBe(200);
  });

  it('refuses a principal whose minute is over', async () => {
    const headers = signed();
    split.clock.shift(61_000);
    expect((await list('manager', '/device/list', headers)).status).toBe(401);
    expect((await list('manager', '/device/list', signed())).status).toBe(200);
  });

  it('looks up the permissions of a principal it believes', async () => {
    const stranger = { ...admin, principalId: '999999' };
    const answer = await list('manager', '/device/list', signed(split.gateway.app, stranger));
    expect([answer.status, answer.body.code]).toEqual([403, 'R403']);
  });

  it('takes a write at the path the specification names', async () => {
    const answer = await request(split.at.data, 'POST', '/point_command/write', {
      body: { deviceId: plant.deviceId, pointId: plant.target, value: '21' },
      headers: signed(),
    });
    expect(answer.body).toMatchObject({ ok: true, data: expect.stringMatching(/^[0-9a-f-]{36}$/) });
  });

  it('keeps the answers of the whole platform to bad input', async () => {
    const post = (body: string, type = 'application/json') =>
      fetch(`${split.at.manager}/device/list`, {
        method: 'POST',
        headers: { ...signed(), 'content-type': type },
        body,
      }).then(({ status }) => status);
    expect(await post('{')).toBe(400);
    expect(await post('a=b', 'text/plain')).toBe(415);
    expect(await post(JSON.stringify({ deviceName: 'x'.repeat(300_000) }))).toBe(413);
    expect((await request(split.at.manager, 'GET', '/device/list')).status).toBe(405);
  });

  it('says how it is', async () => {
    const at = async (path: string) => {
      const answer = await fetch(`${split.at.data}${path}`);
      return [answer.status, await answer.json()];
    };
    expect(await at('/healthz')).toEqual([200, { status: 'up' }]);
    expect(await at('/readyz')).toMatchObject([200, { status: 'ready', waitingFor: [] }]);
  });

  it('believes any principal when signing is switched off', async () => {
    const open = await split.start({
      SVC_ROLES: 'manager',
      SVC_MANAGER_PORT: '0',
      AUTH_HMAC_SECRET: '',
    });
    const at = `http://127.0.0.1:${open.ports.manager}`;
    const [principalId, tenantId] = [admin.principalId, admin.tenantId];
    const ask = (principal: object) =>
      request(at, 'POST', '/device/list', {
        body: {},
        headers: { 'x-auth-principal': JSON.stringify(principal) },
      });
    expect((await ask({ principalId, tenantId })).status).toBe(200);
    expect((await ask({ principalId })).status).toBe(401);
    expect((await ask({ tenantId })).status).toBe(401);
  });
});

function principalIdOf(header: string): string {
  const { token } = z.object({ token: z.string() }).parse(JSON.parse(header));
  const claims: unknown = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  );
  return z.object({ principal_id: z.string() }).parse(claims).principal_id;
}
