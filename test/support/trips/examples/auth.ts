import { z } from 'zod';

import { inTenant } from '../../../../src/db/tenant.ts';
import { newGrant } from '../../people/oauth-client.ts';
import { login } from '../../people/session.ts';
import { testEnvironment } from '../../world/environment.ts';
import { fresh } from '../../world/fresh-name.ts';
import type { Site } from '../site.ts';
import type { Add, Examples, Input } from './example.ts';

const AUTH = '/api/v3/auth';
/** A tenant with an admin that logs out. */
export const LEAVER = 'leaver';
const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;
const Ids = z.object({ records: z.array(z.looseObject({ id: z.string() })) });
const Clients = z.array(z.looseObject({ id: z.string(), clientId: z.string() }));
const Client = z.object({ client_id: z.string() });

export function authExamples({ mine, own, world }: Site, add: Add): Examples {
  const tenant = mine.tenant;
  const first = async (path: string, filter: Input): Promise<string> =>
    Ids.parse(await mine.data(AUTH + path, filter)).records[0]?.id ?? '';

  /** A new person with a login. */
  async function person() {
    const id = await add('auth/user_profile/add');
    const { principalId } = z
      .object({ principalId: z.string() })
      .parse(await mine.data(`${AUTH}/user_profile/get_by_id`, undefined, { id }));
    return { id, principalId };
  }
  async function credential() {
    const { principalId } = await person();
    const loginName = fresh('login');
    const given = { principalId, loginName, password: PASSWORD };
    const id = String(await mine.data(`${AUTH}/local_credential/add`, given));
    return { id, loginName };
  }
  async function client(): Promise<string> {
    const given = registration();
    return Client.parse(await mine.data(`${AUTH}/mcp/client/register`, given)).client_id;
  }
  const registration = () => ({
    client_name: fresh('client'),
    grant_types: ['client_credentials'],
    service_account_principal_id: own.serviceAccountPrincipal,
  });
  const salt = async (name: string): Promise<string> =>
    String(await mine.data(`${AUTH}/token/salt`, { tenant, name }));
  const membershipOf = (principalId: string) => first('/tenant_membership/list', { principalId });
  /** Switches what the call will switch back. */
  const after = async (path: string, input: Input) => {
    await mine.data(AUTH + path, input);
    return { input };
  };

  return {
    'auth/token/salt': async () => ({ input: { tenant, name: `${tenant}-admin` } }),
    'auth/token/generate': async () => {
      const name = `${tenant}-admin`;
      return { input: { tenant, name, password: PASSWORD, salt: await salt(name) } };
    },
    'auth/token/change_password': async () => {
      const { loginName: name } = await credential();
      return { input: { tenant, name, password: PASSWORD, newPassword: `${PASSWORD} new` } };
    },
    'auth/token/external': async () => ({ input: {}, status: 403 }),
    'auth/token/cancel': async () => ({
      input: {},
      // Ends every login of its owner.
      session: await login(world.base, LEAVER, `${LEAVER}-admin`, PASSWORD),
    }),
    'auth/session/begin': async () => ({
      input: { tenant, name: `${tenant}-admin`, password: PASSWORD },
    }),
    'auth/session/end': async () => ({
      input: {},
      session: await login(world.base, LEAVER, `${LEAVER}-admin`, PASSWORD),
    }),
    'auth/token/check': async () => {
      const name = `${tenant}-admin`;
      const given = { tenant, name, password: PASSWORD, salt: await salt(name) };
      return { input: { ...given, token: await mine.data(`${AUTH}/token/generate`, given) } };
    },
    'auth/tenant/get_by_code': async () => ({ input: { code: tenant } }),
    'auth/user_profile/get_by_name': async () => ({ input: { name: `${tenant}-worker` } }),
    'auth/principal/enable': async () => after('/principal/disable', { id: own.principal }),
    'auth/principal/disable': async () => after('/principal/enable', { id: own.principal }),
    'auth/service_account/enable': async () =>
      after('/service_account/disable', { id: own.serviceAccount }),
    'auth/service_account/disable': async () =>
      after('/service_account/enable', { id: own.serviceAccount }),
    'auth/local_credential/add': async () => {
      const { principalId } = await person();
      return { input: { principalId, loginName: fresh('login'), password: PASSWORD } };
    },
    'auth/local_credential/delete': async () => ({ input: { id: (await credential()).id } }),
    'auth/tenant_membership/add': async () => {
      const { principalId } = await person();
      return after('/tenant_membership/delete', { id: await membershipOf(principalId) }).then(
        () => ({ input: { principalId } }),
      );
    },
    'auth/tenant_membership/delete': async () => {
      const { principalId } = await person();
      return { input: { id: await membershipOf(principalId) } };
    },
    'auth/role_principal/add': async () => ({
      input: { roleId: await add('auth/role/add'), principalId: own.principal },
    }),
    'auth/role_resource/add': async () => ({
      input: {
        roleId: await add('auth/role/add'),
        resourceId: await first('/resource/list', {
          resourceCode: 'svc-center-manager:device:list',
        }),
      },
    }),
    'auth/key/revoke': async () => ({ input: { id: await add('auth/key/add') } }),
    'auth/mcp/grant/revoke': async () => ({ input: { grantId: await newGrant(mine) } }),
    'auth/mcp/client/register': async () => ({ input: registration() }),
    'auth/mcp/client/delete': async () => {
      const clientId = await client();
      const all = Clients.parse(await mine.data(`${AUTH}/mcp/client/list`, {}));
      return { input: { id: all.find((row) => row.clientId === clientId)?.id } };
    },
    'auth/mcp/connection/add': async () => ({ input: { clientId: await client() } }),
    'auth/mcp/connection/revoke': async () => ({
      input: { id: await add('auth/mcp/connection/add') },
    }),
    'auth/mcp/connection/restore': async () =>
      after('/mcp/connection/revoke', { id: await add('auth/mcp/connection/add') }),
    'auth/mcp/connection/budgets/replace': async () => ({
      input: { connectionId: await add('auth/mcp/connection/add'), budgets: { calls: 100 } },
    }),
    'auth/mcp/switch/lift': async () => {
      const { principalId } = await person();
      const row = { tenantId: mine.tenantId, principalId, place: 'POST /x', heldFlag: 1 };
      await inTenant(world.app.db, mine.tenantId, (q) =>
        q.insertInto('svc_agent_hold').values(row).execute(),
      );
      return { input: { principalId } };
    },
    'auth/mcp/switch/set': async () => ({ input: { mode: 'ON' } }),
    'auth/mcp/connection/read_only': async () => ({
      input: { id: await add('auth/mcp/connection/add'), readOnly: true },
    }),
    'auth/mcp/connection/tools/replace': async () => ({
      input: {
        connectionId: await add('auth/mcp/connection/add'),
        toolIds: ['searchDevices', 'searchPoints'],
      },
    }),
  };
}
