import { sql } from 'kysely';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { routes } from '../../src/auth/routes.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import { permissionCodes } from '../../src/gateway/mount/centers.ts';
import { resourceId, roleId, worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { Records } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const auth = '/api/v3/auth';
const STRONG = 'svc-center-data:point_command:write';

/** Changes that reach no principal's rights, each with its reason. */
const REACH_NOBODY: Readonly<Record<string, string>> = {
  '/api/add': 'the catalogue of endpoints opens nothing',
  '/api/delete': 'the catalogue of endpoints opens nothing',
  '/api/update': 'the catalogue of endpoints opens nothing',
  '/mcp/switch/set': 'a switch takes away, from every agent alike',
  '/mcp/switch/hold_tried': 'a switch takes away, from every agent alike',
  '/menu/add': 'menus open nothing',
  '/menu/delete': 'menus open nothing',
  '/menu/update': 'menus open nothing',
  '/role/add': 'a new role is held by no principal',
  '/role/delete': 'a role that a principal has cannot be deleted',
  '/resource/add': 'a new code is held by no role',
  '/resource/delete': 'a code that a role holds cannot be deleted',
  '/mcp/tool/catalog/refresh': 'it writes down what the platform offers',
};

type Target = Record<
  | 'id'
  | 'principalId'
  | 'credential'
  | 'membership'
  | 'binding'
  | 'role'
  | 'grant'
  | 'viewer'
  | 'strong'
  | 'account'
  | 'accountPrincipal'
  | 'client'
  | 'clientId'
  | 'connection'
  | 'elsewhere',
  string
>;

/** What each of the others is asked to do to principals that hold more than the caller. */
const CASES: Readonly<Record<string, (to: Target) => object>> = {
  '/tenant/add': () => ({ tenantName: 'mine', tenantCode: 'mine' }),
  '/tenant/update': ({ elsewhere }) => ({ id: elsewhere, enableFlag: 'DISABLE' }),
  '/tenant/delete': ({ elsewhere }) => ({ id: elsewhere }),
  '/user_profile/add': ({ principalId }) => ({ userName: 'x1', nickName: 'x1', principalId }),
  '/user_profile/update': ({ id }) => ({ id, nickName: 'renamed' }),
  '/user_profile/delete': ({ id }) => ({ id }),
  '/principal/enable': ({ principalId }) => ({ id: principalId }),
  '/principal/disable': ({ principalId }) => ({ id: principalId }),
  '/local_credential/add': ({ principalId }) => ({
    principalId,
    loginName: 'second-login',
    password: 'a password of mine',
  }),
  '/local_credential/update': ({ credential }) => ({ id: credential, enableFlag: 'DISABLE' }),
  '/local_credential/reset_password': ({ credential }) => ({
    id: credential,
    password: 'a password of mine',
  }),
  '/local_credential/delete': ({ credential }) => ({ id: credential }),
  '/tenant_membership/add': ({ principalId, elsewhere }) => ({ principalId, tenantId: elsewhere }),
  '/tenant_membership/delete': ({ membership }) => ({ id: membership }),
  '/role/update': ({ role }) => ({ id: role, enableFlag: 'DISABLE' }),
  '/role_principal/add': ({ viewer, principalId }) => ({ roleId: viewer, principalId }),
  '/role_principal/delete': ({ binding }) => ({ id: binding }),
  '/role_resource/add': ({ role, strong }) => ({ roleId: role, resourceId: strong }),
  '/role_resource/delete': ({ grant }) => ({ id: grant }),
  '/resource/update': ({ strong }) => ({ id: strong, enableFlag: 'DISABLE' }),
  '/service_account/add': () => ({ serviceAccountName: 'too strong', roleCode: 'admin' }),
  '/service_account/update': ({ account }) => ({ id: account, purpose: 'mine' }),
  '/service_account/enable': ({ account }) => ({ id: account }),
  '/service_account/disable': ({ account }) => ({ id: account }),
  '/service_account/delete': ({ account }) => ({ id: account }),
  '/mcp/switch/lift': ({ accountPrincipal }) => ({ principalId: accountPrincipal }),
  '/mcp/client/register': ({ accountPrincipal }) => ({
    client_name: 'mine',
    service_account_principal_id: accountPrincipal,
  }),
  '/mcp/client/delete': ({ client }) => ({ id: client }),
  '/mcp/connection/add': ({ clientId, accountPrincipal }) => ({
    clientId,
    principalId: accountPrincipal,
    connectionName: 'another',
  }),
  '/mcp/connection/revoke': ({ connection }) => ({ id: connection }),
  '/mcp/connection/restore': ({ connection }) => ({ id: connection }),
  '/mcp/connection/read_only': ({ connection }) => ({ id: connection, readOnly: true }),
  '/mcp/connection/budgets/replace': ({ connection }) => ({
    connectionId: connection,
    budgets: {},
  }),
  '/mcp/connection/tools/replace': ({ connection }) => ({
    connectionId: connection,
    toolIds: [],
  }),
};

const Row = z.looseObject({ id: z.string() });

let target: Target;
let clerk: Session;
const world = startedWorld();
beforeAll(async () => {
  const { admin } = world;
  const firstId = async (path: string, filter: object): Promise<string> =>
    Records.parse(await admin.data(`${auth}${path}`, filter)).records[0]?.id ?? '';
  const boss = await worker(admin, [STRONG]);
  const account = String(
    await admin.data(`${auth}/service_account/add`, {
      serviceAccountName: fresh('person'),
      roleCode: 'admin',
    }),
  );
  const accountPrincipal = z
    .object({ principalId: z.string() })
    .parse(
      await admin.data(`${auth}/service_account/get_by_id`, undefined, { id: account }),
    ).principalId;
  const { client_id: clientId } = z.object({ client_id: z.string() }).parse(
    await admin.data(`${auth}/mcp/client/register`, {
      client_name: 'program',
      service_account_principal_id: accountPrincipal,
    }),
  );
  const clients = z
    .array(z.looseObject({ id: z.string(), clientId: z.string() }))
    .parse(await admin.data(`${auth}/mcp/client/list`, {}));
  const connection = Row.parse(await admin.data(`${auth}/mcp/connection/add`, { clientId }));
  target = {
    id: boss.id,
    principalId: boss.principalId,
    credential: boss.credential,
    membership: await firstId('/tenant_membership/list', { principalId: boss.principalId }),
    binding: await firstId('/role_principal/list', { principalId: boss.principalId }),
    role: boss.role,
    grant: await firstId('/role_resource/list', { roleId: boss.role }),
    viewer: await roleId(admin, 'viewer'),
    strong: await resourceId(admin, STRONG),
    account,
    accountPrincipal,
    client: clients.find((one) => one.clientId === clientId)?.id ?? '',
    clientId,
    connection: connection.id,
    elsewhere: (await world.tenant('elsewhere')).tenantId,
  };
  // Everything there is to hold in the auth center, and all the built-in viewer has: but not STRONG.
  const codes = permissionCodes().filter(
    (code) => code.startsWith('svc-center-auth:') || /:(list|get)$/.test(code),
  );
  clerk = (await worker(admin, codes)).session;
});

const TABLES = [
  'svc_tenant',
  'svc_principal',
  'svc_user',
  'svc_local_credential',
  'svc_tenant_membership',
  'svc_service_account',
  'svc_role',
  'svc_resource',
  'svc_role_principal_bind',
  'svc_role_resource_bind',
  'svc_token_revocation',
  'svc_oauth_client',
  'svc_mcp_connection',
  'svc_mcp_connection_tool',
];

const rows = (): Promise<string[]> =>
  acrossTenants(world.app.db, 'doctor', async (q) => {
    const found: string[] = [];
    for (const table of TABLES) {
      const { rows: kept } = await sql<{
        text: string;
      }>`select row_to_json(t)::text as text from ${sql.table(table)} t order by 1`.execute(q);
      found.push(...kept.map(({ text }) => `${table} ${text}`));
    }
    return found;
  });

const changing = routes.filter(
  ({ risk, needs }) => risk.riskLevel !== 'LOW' && !['public', 'authenticated'].includes(needs),
);

describe('a change of a principal', () => {
  it('is tried here for every route that changes something, or is said to reach none', () => {
    expect(changing.map(({ path }) => path).toSorted()).toEqual(
      [...Object.keys(CASES), ...Object.keys(REACH_NOBODY)].toSorted(),
    );
  });

  it.each(Object.keys(CASES))('takes all the rights of the principal: %s', async (path) => {
    const before = await rows();
    const { status, body } = await clerk.post(`${auth}${path}`, CASES[path]?.(target));
    expect([status, body.code], body.message).toEqual([403, 'R403']);
    expect(await rows()).toEqual(before);
  });

  it('is open to who holds as much', async () => {
    const { admin } = world;
    for (const path of ['/service_account/disable', '/service_account/enable'])
      expect((await admin.post(`${auth}${path}`, { id: target.account })).status, path).toBe(200);
    for (const [path, id] of [
      ['/role_principal/delete', target.binding],
      ['/role_resource/delete', target.grant],
      ['/mcp/connection/revoke', target.connection],
      ['/mcp/client/delete', target.client],
      ['/service_account/delete', target.account],
    ] as const)
      expect((await admin.post(`${auth}${path}`, { id })).status, path).toBe(200);
  });
});
