import { sql } from 'kysely';
import { afterAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { authenticateLogin } from '../../src/auth/login/login.ts';
import { onPresentFacts } from '../../src/auth/permission/present.ts';
import { acrossTenants, inTenant } from '../../src/db/tenant.ts';
import { addPerson, addRole, bind, worker } from '../support/people/accounts.ts';
import { programFor } from '../support/people/bearer.ts';
import { clients } from '../support/people/mcp.ts';
import { request, type Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { otherGateway } from '../support/world/other-node.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const AUTH = '/api/v3/auth';
const LIST = '/api/v3/manager/device/list';
const PROFILE = '/api/v3/manager/profile/add';
const CODES = ['svc-center-manager:device:list', 'svc-center-manager:profile:add'];

const world = startedWorld();
const other = prepared(() => otherGateway(world.app));
afterAll(async () => {
  other?.close();
});

const there = async ({ headers }: Pick<Session, 'headers'>, path = LIST, body: unknown = {}) =>
  (await request(other.base, 'POST', path, { headers, body })).status;
const addProfile = (session: Pick<Session, 'headers'>, profileName: string) =>
  there(session, PROFILE, { profileName });
const profilesOf = (name: string) =>
  inTenant(world.app.db, world.admin.tenantId, (q) =>
    q.selectFrom('svc_profile').select('id').where('profileName', '=', name).execute(),
  );

type Worker = Awaited<ReturnType<typeof worker>>;
const change = (statement: ReturnType<typeof sql>) =>
  acrossTenants(world.app.db, 'doctor', (q) => statement.execute(q));

it('answers wrong input in a tenant whose rights change all the time', async () => {
  const { principalId } = await worker(world.admin, CODES);
  let calls = 0;
  // Each that succeeds makes what was read about every caller of the tenant old.
  const call = async (id: string): Promise<number> => {
    const what = (calls += 1) % 2 === 0 ? 'enable' : 'disable';
    return there(world.admin, `${AUTH}/principal/${what}`, { id });
  };
  const statuses = await Promise.all(
    Array.from({ length: 96 }, (_, at) => call(at % 3 === 0 ? '' : principalId)),
  );
  const wrong = statuses.filter((_, at) => at % 3 === 0);
  expect(new Set(wrong)).toEqual(new Set([400]));
  expect(statuses.filter((status) => status >= 500)).toEqual([]);
});

describe('what a gateway remembers of a caller', () => {
  it.each<[string, number, (one: Worker) => Promise<unknown>]>([
    ['a logout', 401, ({ session }) => session.data(`${AUTH}/token/cancel`, {})],
    [
      'a disabled account',
      401,
      ({ principalId }) => world.admin.data(`${AUTH}/principal/disable`, { id: principalId }),
    ],
    [
      'a membership that is suspended',
      401,
      ({ principalId }) =>
        change(sql`update svc_tenant_membership set membership_status = 'SUSPENDED'
          where principal_id = ${principalId}`),
    ],
    [
      'a login that is deleted',
      401,
      ({ credential }) => world.admin.data(`${AUTH}/local_credential/delete`, { id: credential }),
    ],
    [
      'a role that is deleted',
      403,
      ({ role }) => change(sql`delete from svc_role where id = ${role}`),
    ],
    [
      'a role that is taken away',
      403,
      ({ principalId }) =>
        change(sql`delete from svc_role_principal_bind where principal_id = ${principalId}`),
    ],
    [
      'a permission that is taken from the role',
      403,
      ({ role }) => change(sql`delete from svc_role_resource_bind where role_id = ${role}`),
    ],
  ])('acts at once at another gateway: %s', async (_what, status, take) => {
    const one = await worker(world.admin, CODES);
    expect(await there(one.session)).toBe(200);
    await take(one);
    const name = fresh('profile');
    expect([await addProfile(one.session, name), await there(one.session)]).toEqual([
      status,
      status,
    ]);
    expect(await profilesOf(name)).toEqual([]);
  });

  it('acts at once when a right is given', async () => {
    const one = await worker(world.admin, [CODES[0] ?? '']);
    const name = fresh('profile');
    expect(await addProfile(one.session, name)).toBe(403);
    await bind(world.admin, await addRole(world.admin, CODES), one.principalId);
    expect(await addProfile(one.session, name)).toBe(200);
  });

  it('stays when another member changes, and the call is not disturbed', async () => {
    const one = await worker(world.admin, CODES);
    expect(await there(one.session)).toBe(200);
    const { principalId } = await addPerson(world.admin);
    await world.admin.data(`${AUTH}/principal/disable`, { id: principalId });
    const name = fresh('profile');
    expect(await addProfile(one.session, name)).toBe(200);
    expect(await profilesOf(name)).toHaveLength(1);
  });
});

describe('what a gateway remembers of an MCP client', () => {
  const open = async () => {
    const program = await programFor(world.admin, { scope: 'svc:read', roleCode: 'viewer' });
    const [connect] = Object.values(clients);
    if (!connect) throw new Error('no client');
    return { ...program, client: await connect(other.base, program.token) };
  };
  const Connection = z.looseObject({ id: z.string() });

  it('ends with its OAuth client, for calls, lists and greetings', async () => {
    const { client, clientId, token } = await open();
    await client.call('getCurrentTenantInfo');
    await change(sql`delete from svc_oauth_client where client_id = ${clientId}`);
    await expect(client.call('getCurrentTenantInfo')).rejects.toThrow();
    await expect(client.list()).rejects.toThrow();
    const greeting = await fetch(`${other.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
    });
    expect([greeting.status, greeting.headers.get('www-authenticate')]).toEqual([
      401,
      expect.stringContaining('invalid_token'),
    ]);
    await client.close();
  });

  it('follows its connection', async () => {
    const { client, clientId, principalId } = await open();
    expect((await client.list()).length).toBeGreaterThan(1);
    const { id } = Connection.parse(
      await world.admin.data(`${AUTH}/mcp/connection/add`, {
        connectionName: fresh('connection'),
        clientId,
        principalId,
      }),
    );
    expect(await client.list()).toEqual([]); // a connection without tools allows none
    await world.admin.data(`${AUTH}/mcp/connection/revoke`, { id });
    await expect(client.call('getCurrentTenantInfo')).rejects.toThrow(/revoked/);
    await client.close();
  });
});

describe('a call that runs while its rights change', () => {
  const callerOf = ({ tenant, headers }: Session) =>
    authenticateLogin(world.app, {
      tenant,
      login: String(headers['x-auth-login']),
      token: z
        .object({ salt: z.string(), token: z.string() })
        .parse(JSON.parse(String(headers['x-auth-token']))),
    });
  const names = (prefix: string) => [1, 2].map((index) => `${prefix}-${index}`);
  const insert = (tenantId: string, profileName: string) =>
    inTenant(world.app.db, tenantId, (q) =>
      q
        .insertInto('svc_profile')
        .values({ tenantId, profileName, profileCode: profileName })
        .execute(),
    );

  it.each([
    ['goes on when they are the same', [] as string[], 2],
    ['does not go on when they are not', CODES, 1],
  ])('%s', async (_what, taken, kept) => {
    const one = await worker(world.admin, CODES);
    const caller = await callerOf(one.session);
    const [first = '', second = ''] = names(fresh('during'));
    const work = onPresentFacts(
      world.app,
      caller,
      () => callerOf(one.session),
      async ({ tenantId }) => {
        await insert(tenantId, first);
        const role = taken.length === 0 ? await addRole(world.admin, CODES) : one.role;
        await change(sql`delete from svc_role where id = ${role}`);
        await insert(tenantId, second);
      },
    );
    if (kept === 2) await work;
    else await expect(work).rejects.toThrow('The rights of this call changed while it ran');
    expect([...(await profilesOf(first)), ...(await profilesOf(second))]).toHaveLength(kept);
  });
});
