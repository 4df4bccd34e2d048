import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { noteCredential } from '../../src/auth/audit/credential.ts';
import { refusalsWritten } from '../../src/auth/audit/refusal.ts';
import { loginFailuresWritten } from '../../src/auth/login/failure.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { NotAuthenticated } from '../../src/kernel/errors.ts';
import { reportWaiting } from '../support/lwm2m/waiting.ts';
import { worker } from '../support/people/accounts.ts';
import { programFor } from '../support/people/bearer.ts';
import { postFrom } from '../support/people/from-address.ts';
import { login, request, type Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const AUTH = '/api/v3/auth';
const Rows = z.array(
  z.looseObject({
    action: z.string(),
    status: z.string(),
    tenantId: z.string(),
    principalId: z.string(),
    resourceType: z.string(),
    resourceName: z.string(),
    errorCode: z.string(),
    source: z.string(),
    resourceId: z.string(),
    detailExt: z.record(z.string(), z.unknown()),
  }),
);
const Made = z.object({ id: z.string(), key: z.string(), keyPrefix: z.string() });

const world = startedWorld();
const tenant = prepared(() => world.tenant('here'));

async function rows(session: Session, filter: object) {
  await refusalsWritten(world.app);
  return Rows.parse(await session.data(`${AUTH}/identity_audit/list`, filter));
}
const denied = (session: Session, filter: object = {}) =>
  rows(session, { action: 'DENY', ...filter });
const makeKey = async (session: Session, given: object = {}) =>
  Made.parse(await session.data(`${AUTH}/key/add`, { keyName: fresh('key'), ...given }));
const bearer = (key: string) => ({ authorization: `Bearer ${key}` });
const post = (path: string, headers: Record<string, string>, body: object = {}) =>
  request(world.base, 'POST', path, { headers, body });
const ANY_ID = '01890000-0000-7000-8000-000000000000';

describe('what is refused', () => {
  it.each([
    ['a confirmation', '/api/v3/agentic/action/confirm', { actionId: ANY_ID }],
    ['an approval', '/api/v3/agentic/approval/add', {}],
    ['a switch', '/api/v3/auth/mcp/switch/set', { mode: 'ON' }],
    ['a configuration', '/api/v3/manager/point/update', { id: '1' }],
    ['a deletion', '/api/v3/manager/device/delete', { id: '1' }],
  ])('is in the audit when a key asks for %s', async (_what, path, body) => {
    const { key, keyPrefix } = await makeKey(tenant, { scopes: ['svc:propose'] });
    expect((await post(path, bearer(key), body)).status).toBe(403);
    const [row] = await denied(tenant);
    expect(row).toMatchObject({
      status: 'DENIED',
      tenantId: tenant.tenantId,
      principalId: tenant.principalId,
      resourceType: 'ROUTE',
      resourceName: `POST ${path}`,
      errorCode: 'R403',
      source: '127.0.0.1',
      detailExt: {
        door: 'rest',
        via: 'key',
        clientId: keyPrefix,
        reason: 'This needs an interactive login',
      },
    });
  });

  it('is in the audit when a person has no right to it, by the check of the operation too', async () => {
    const viewer = await worker(tenant, ['svc-center-manager:device:list']);
    expect((await viewer.session.post('/api/v3/manager/device/delete', { id: '1' })).status).toBe(
      403,
    );
    const other = await worker(tenant, ['svc-center-data:dead_letter:drop']);
    expect((await other.session.post('/api/v3/data/dead_letter/drop', { all: true })).status).toBe(
      403,
    );
    expect((await denied(tenant)).slice(0, 2)).toMatchObject([
      { principalId: other.principalId, resourceName: 'POST /api/v3/data/dead_letter/drop' },
      { principalId: viewer.principalId, detailExt: { via: 'login', reason: 'Permission denied' } },
    ]);
  });

  it('is not in the audit when it only reads', async () => {
    const nobody = await worker(tenant, []);
    const before = await denied(tenant);
    expect((await nobody.session.post('/api/v3/manager/device/list', {})).status).toBe(403);
    expect(await denied(tenant)).toEqual(before);
  });

  it('is in the audit of the platform for an invented credential, without what was shown', async () => {
    const invented = `svc_api_${'A'.repeat(8)}_${'B'.repeat(43)}`;
    const path = '/api/v3/manager/device/list';
    expect((await post(path, bearer(invented))).status).toBe(401);
    expect((await post(path, bearer('nothing'))).status).toBe(401);
    const mcp = await fetch(`${world.base}/mcp`, { method: 'POST', headers: bearer(invented) });
    expect(mcp.status).toBe(401);
    const found = (await denied(world.admin, { resourceType: 'CREDENTIAL' })).slice(0, 3);
    expect(found).toMatchObject([
      { resourceName: 'POST /mcp', detailExt: { door: 'mcp', kind: 'key' } },
      { resourceName: `POST ${path}`, detailExt: { door: 'rest', kind: 'token' } },
      {
        resourceName: `POST ${path}`,
        errorCode: 'R401',
        source: '127.0.0.1',
        detailExt: { key: `svc_api_${'A'.repeat(8)}`, kind: 'key' },
      },
    ]);
    expect(JSON.stringify(found)).not.toContain('B'.repeat(43));
  });

  it('is in the audit of the tenant whose key has ended', async () => {
    const { id, key, keyPrefix } = await makeKey(tenant);
    await acrossTenants(world.app.db, 'oauth', (q) =>
      q
        .updateTable('svc_key')
        .set({ expireTime: new Date(world.clock.now()) })
        .where('id', '=', id)
        .execute(),
    );
    expect((await post('/api/v3/manager/device/list', bearer(key))).status).toBe(401);
    const [row] = await denied(tenant, { resourceType: 'CREDENTIAL' });
    expect(row).toMatchObject({
      principalId: tenant.principalId,
      detailExt: { key: keyPrefix, kind: 'key' },
    });
  });

  it('is in the audit when a login or a session has ended', async () => {
    const { session } = await worker(tenant, []);
    await session.data(`${AUTH}/token/cancel`, {});
    expect((await session.post('/api/v3/manager/device/list', {})).status).toBe(401);
    const [row] = await denied(world.admin, { resourceType: 'CREDENTIAL' });
    expect(row).toMatchObject({
      detailExt: { kind: 'login', tenant: 'here', login: session.headers['x-auth-login'] },
    });
  });

  it('is in the audit for a wrong client secret, of the tenant of the client', async () => {
    const { clientId, principalId } = await programFor(tenant, { scope: 'svc:read' });
    const token = (id: string) =>
      fetch(`${world.base}/oauth2/token`, {
        method: 'POST',
        headers: { authorization: `Basic ${Buffer.from(`${id}:wrong`).toString('base64')}` },
        body: new URLSearchParams({ grant_type: 'client_credentials' }),
      });
    expect((await token(clientId)).status).toBe(401);
    expect((await denied(tenant, { resourceType: 'OAUTH_CLIENT' }))[0]).toMatchObject({
      principalId,
      resourceName: clientId,
      errorCode: 'R401',
      source: '127.0.0.1',
      detailExt: { door: 'oauth' },
    });
    expect((await token('invented')).status).toBe(401);
    expect((await denied(world.admin, { resourceType: 'OAUTH_CLIENT' }))[0]).toMatchObject({
      resourceName: 'invented',
    });
  });

  it('is in the audit of the platform when a login names a tenant that is not there', async () => {
    await expect(login(world.base, 'nowhere', 'anna', 'a password')).rejects.toThrow('401');
    await loginFailuresWritten(world.app);
    expect((await rows(world.admin, { action: 'LOGIN', status: 'FAILED' }))[0]).toMatchObject({
      resourceType: 'TENANT',
      resourceName: 'nowhere',
      source: '127.0.0.1',
      detailExt: { door: 'login', login: 'anna' },
    });
  });

  it('is a few rows and a count when it comes as a flood, and hides nothing else', async () => {
    const { key } = await makeKey(tenant, { scopes: ['svc:propose'] });
    const before = (await rows(world.admin, { limit: 500 })).length;
    const [flood, overHttp] = [10_000, 500];
    const path = '/api/v3/manager/device/list';
    const statuses = new Set<number>();
    for (let sent = 0; sent < overHttp; sent += 1)
      statuses.add((await postFrom(world.base, '127.0.0.9', path, {}, bearer('nothing'))).status);
    // The rest as the gateway notes them.
    for (let sent = overHttp; sent < flood; sent += 1)
      noteCredential(world.app, {
        door: 'rest',
        source: '127.0.0.9',
        error: new NotAuthenticated(),
        place: `POST ${path}`,
        bearer: 'nothing',
      });
    expect([...statuses]).toEqual([401]);
    expect((await post('/api/v3/agentic/action/confirm', bearer(key))).status).toBe(403);
    await postFrom(world.base, '127.0.0.10', path, {}, bearer('nothing'));
    const after = await rows(world.admin, { limit: 500 });
    expect(after.length - before).toBeLessThan(40);
    const own = after.filter(({ source }) => source === '127.0.0.9');
    const counted = own.map(({ detailExt: { more } }) => Number(more ?? 1));
    expect(counted.reduce((sum, one) => sum + one, 0)).toBe(flood);
    expect(after.some(({ source }) => source === '127.0.0.10')).toBe(true);
    expect((await denied(tenant))[0]?.resourceName).toBe('POST /api/v3/agentic/action/confirm');
  });
});

describe('what is given or taken away', () => {
  it('is in the audit: the token of a client', async () => {
    const { clientId, principalId } = await programFor(tenant, { scope: 'svc:read' });
    expect((await rows(tenant, { resourceType: 'OAUTH_TOKEN' }))[0]).toMatchObject({
      action: 'CREATE',
      status: 'SUCCESS',
      principalId,
      resourceName: clientId,
      source: '127.0.0.1',
      detailExt: { grantType: 'client_credentials', scope: 'svc:read' },
    });
  });

  it('is in the audit: a client that registers itself', async () => {
    const answer = await fetch(`${world.base}/oauth2/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_name: 'Own client',
        redirect_uris: ['https://client.example/back?secret=1'],
      }),
    });
    const client = z.object({ client_id: z.string() }).parse(await answer.json());
    const [row] = await rows(world.admin, { resourceType: 'OAUTH_CLIENT', action: 'CREATE' });
    expect(row).toMatchObject({
      resourceId: client.client_id,
      resourceName: 'Own client',
      source: '127.0.0.1',
      detailExt: { hosts: ['client.example'] },
    });
  });

  it('is in the audit: dead letters that are put back or dropped', async () => {
    for (const what of ['replay', 'drop'])
      await world.admin.data(`/api/v3/data/dead_letter/${what}`, { all: true });
    expect(await rows(world.admin, { resourceType: 'DEAD_LETTER' })).toMatchObject([
      { action: 'DELETE', resourceName: 'all', source: '127.0.0.1', detailExt: { count: 0 } },
      { action: 'UPDATE', principalId: world.admin.principalId },
    ]);
  });

  it('is in the audit of both: an endpoint that the platform gives to a tenant', async () => {
    const endpoint = fresh('urn:stranger');
    await reportWaiting(world, { endpoint });
    const at = '/api/v3/manager/device/waiting';
    const page = Records.parse(await world.admin.data(`${at}/list`, { endpoint }));
    const id = page.records[0]?.id ?? '';
    await world.admin.data(`${at}/assign`, { id, tenantId: tenant.tenantId });
    expect(await rows(world.admin, { resourceType: 'WAITING_ENDPOINT' })).toMatchObject([
      { principalId: world.admin.principalId, resourceName: endpoint, source: '127.0.0.1' },
    ]);
    const [given] = await rows(tenant, { resourceType: 'WAITING_ENDPOINT' });
    expect(given).toMatchObject({ principalId: '0', source: '' });
    expect(given?.detailExt).toEqual({ given: true, by: 'the platform' });
  });

  it('comes with the address of its call: every change and its row in the change log', async () => {
    await tenant.data(`${AUTH}/role/add`, { roleName: 'a role', roleCode: fresh('role') });
    expect((await rows(tenant, { resourceType: 'ROLE' }))[0]?.source).toBe('127.0.0.1');
    await tenant.data('/api/v3/manager/profile/add', { profileName: 'p', profileCode: fresh('p') });
    const { rows: changes } = await acrossTenants(world.app.db, 'audit', (q) =>
      sql<{ source: string }>`select source from svc_change_log
        where tenant_id = ${tenant.tenantId} order by id desc limit 1`.execute(q),
    );
    expect(changes).toEqual([{ source: '127.0.0.1' }]);
  });
});
