import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { toolsFor } from '../../src/agentic/chat/loop/tool-call.ts';
import { tools } from '../../tools/index.ts';
import { resources } from '../../tools/resource/index.ts';
import { listed } from '../support/cases/offered.ts';
import { addPerson } from '../support/people/accounts.ts';
import { tokenFor } from '../support/people/bearer.ts';
import { clients as eras } from '../support/people/mcp.ts';
import type { Session } from '../support/people/session.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const auth = '/api/v3/auth';
const world = startedWorld();
const tenant = prepared(() => world.tenant('here'));
const other = prepared(() => world.tenant('other'));

const Id = z.object({ id: z.string() });
const Row = z.looseObject({
  toolName: z.string(),
  status: z.string(),
  argumentDigest: z.string(),
  riskLevel: z.string(),
  clientId: z.string(),
});
const audit = async (filter: object = {}, session = tenant) =>
  z.array(Row).parse(await session.data(`${auth}/mcp/audit/list`, filter));

let counter = 0;
/** A program with every scope, and the token it got. */
async function program(session: Session) {
  const name = `program-${(counter += 1)}`;
  const id = await session.data(`${auth}/service_account/add`, { serviceAccountName: name });
  const { principalId } = z
    .object({ principalId: z.string() })
    .parse(await session.data(`${auth}/service_account/get_by_id`, undefined, { id: String(id) }));
  const scope = 'svc:read svc:read-device svc:propose';
  const client = z.object({ client_id: z.string(), client_secret: z.string() }).parse(
    await session.data(`${auth}/mcp/client/register`, {
      client_name: name,
      scope,
      service_account_principal_id: principalId,
    }),
  );
  const secret = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64');
  const response = await fetch(`${session.base}/oauth2/token`, {
    method: 'POST',
    headers: { authorization: `Basic ${secret}` },
    body: new URLSearchParams({
      grant_type: 'client_credentials',
      scope,
      resource: `${session.base}/mcp`,
    }),
    signal: AbortSignal.timeout(30_000),
  });
  const { access_token: token } = z
    .object({ access_token: z.string() })
    .parse(await response.json());
  const authorization = `Basic ${secret}`;
  return { clientId: client.client_id, principalId, token, authorization };
}
const connect = (session: Session, clientId: string, body: object = {}) =>
  session.post(`${auth}/mcp/connection/add`, { clientId, ...body });
const replace = (session: Session, connectionId: string, toolIds: readonly string[]) =>
  session.post(`${auth}/mcp/connection/tools/replace`, { connectionId, toolIds });

describe('the metadata and the catalogue', () => {
  it('say where clients connect', async () => {
    expect(await tenant.data(`${auth}/mcp/metadata`)).toMatchObject({
      endpoint: `${world.base}/mcp`,
      scopes: expect.arrayContaining(['svc:read', 'svc:propose']),
    });
  });

  it('hold every tool and resource with risk and permission, found by keyword and risk', async () => {
    const names = [
      ...tools.flatMap(({ name, opens }) => (opens ? [] : [name])),
      ...resources.map(({ uri }) => uri),
    ];
    expect(await tenant.data(`${auth}/mcp/tool/catalog/refresh`, {})).toBe(names.length);
    const all = z.array(Row.partial()).parse(await tenant.data(`${auth}/mcp/tool/list`, {}));
    expect(new Set(all.map(({ toolName }) => toolName))).toEqual(new Set(names));
    expect(await tenant.data(`${auth}/mcp/tool/list`, { riskLevel: 'HIGH' })).toMatchObject([
      { toolId: 'proposeConfirmation', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'proposeFirmware', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'proposeMaintenance', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'proposeOnboarding', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'proposeRule', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'proposeRuleChange', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'proposeSilence', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'proposeUndo', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'proposeWrites', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
      { toolId: 'withdrawAction', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 0 },
      { toolId: 'writePointValue', riskLevel: 'HIGH', readOnlyHint: 0, destructiveHint: 1 },
    ]);
    expect(await tenant.data(`${auth}/mcp/tool/list`, { keyword: 'lookupdevice' })).toMatchObject([
      { toolId: 'lookupDeviceById', permissionCode: 'svc-center-manager:device:get' },
    ]);
  });
});

describe.each(Object.entries(eras))('a connection, seen by a client of %s', (_era, open) => {
  it('limits its client to the tools it names, at every call', async () => {
    const { clientId, token } = await program(tenant);
    const client = await open(world.base, token);
    expect((await client.list()).length).toBe(listed().length);
    const { id } = Id.parse((await connect(tenant, clientId)).body.data);
    expect(await client.list()).toEqual([]);
    const wanted = ['searchDevices', 'getSystemHealth'];
    expect((await replace(tenant, id, wanted)).body.data).toBe(true);
    expect(await tenant.data(`${auth}/mcp/connection/tools/list`, undefined, { id })).toEqual(
      wanted.toSorted(),
    );
    expect((await client.list()).map(({ name }) => name).toSorted()).toEqual(wanted.toSorted());
    expect((await client.call('searchDevices')).isError).toBeFalsy();
    await expect(client.call('searchPoints')).rejects.toThrow('Unknown tool');
    await client.close();
  });

  it('says that it was revoked, and works again when it is restored or added again', async () => {
    const { clientId, token, authorization } = await program(tenant);
    let client = await open(world.base, token);
    const { id } = Id.parse((await connect(tenant, clientId)).body.data);
    await replace(tenant, id, ['searchDevices']);
    const revoke = () => tenant.data(`${auth}/mcp/connection/revoke`, {}, { id });
    const words = 'The connection of this client was revoked';
    for (const restore of [
      () => tenant.post(`${auth}/mcp/connection/restore`, { id }),
      () => connect(tenant, clientId),
    ]) {
      await revoke();
      await expect(client.list()).rejects.toThrow(words);
      await expect(client.call('searchDevices')).rejects.toThrow(words);
      await expect(client.call('noSuchTool')).rejects.toThrow(words);
      const { status, body } = await restore();
      expect([status, body.message], JSON.stringify(body)).toEqual([200, expect.any(String)]);
      expect(body.data).toMatchObject({ id, enableFlag: 0, revokeTime: null });
      // What was issued before stays void: the client shows anew that it is the client.
      await expect(client.list()).rejects.toThrow();
      await client.close().catch(() => {});
      const anew = await tokenFor(world.base, authorization, { scope: 'svc:read' });
      client = await open(world.base, anew);
      expect((await client.list()).map(({ name }) => name)).toEqual(['searchDevices']);
      expect((await client.call('searchDevices')).isError).toBeFalsy();
    }
    expect((await connect(tenant, clientId)).status).toBe(409);
    await client.close();
  });
});

describe('a connection', () => {
  it('that is restored leaves the tokens of another active one of its client', async () => {
    const { clientId, token } = await program(tenant);
    const [first, second] = await Promise.all(
      ['a', 'b'].map(async (connectionName) =>
        Id.parse((await connect(tenant, clientId, { connectionName })).body.data),
      ),
    );
    await replace(tenant, second?.id ?? '', ['searchDevices']);
    await tenant.data(`${auth}/mcp/connection/revoke`, {}, { id: first?.id ?? '' });
    await tenant.data(`${auth}/mcp/connection/restore`, { id: first?.id });
    for (const open of Object.values(eras)) {
      const client = await open(world.base, token);
      expect((await client.call('searchDevices')).isError).toBeFalsy();
      await client.close();
    }
  });

  it('limits its client in the chat as over MCP', async () => {
    const { clientId, principalId } = await program(tenant);
    const caller = {
      tenantId: tenant.tenantId,
      principalId,
      principalType: 'SERVICE_ACCOUNT',
      name: 'program',
      via: 'oauth',
      clientId,
      permissions: new Set(['*']),
    } as const;
    const names = async () => (await toolsFor(world.app, caller)).map(({ name }) => name);
    expect(await names()).toHaveLength(tools.length);
    const { id } = Id.parse((await connect(tenant, clientId)).body.data);
    await replace(tenant, id, ['getSystemHealth']);
    expect(await names()).toEqual(['getSystemHealth']);
    await tenant.data(`${auth}/mcp/connection/revoke`, {}, { id });
    await expect(names()).rejects.toMatchObject({ status: 403, message: expect.any(String) });
  });

  it('is listed with client and principal, and ends at its time', async () => {
    const { clientId, principalId, token } = await program(tenant);
    const expireTime = new Date(world.clock.now() + 60_000).toISOString();
    const added = await connect(tenant, clientId, { connectionName: 'for a while', expireTime });
    expect(added).toMatchObject({ status: 200, body: { code: 'R201' } });
    const { id } = Id.parse(added.body.data);
    const connections = z
      .array(z.looseObject({ id: z.string() }))
      .parse(await tenant.data(`${auth}/mcp/connection/list`, {}));
    expect(connections.find((row) => row.id === id)).toMatchObject({
      clientId,
      principalId,
      principalType: 'SERVICE_ACCOUNT',
      grantType: 'client_credentials',
      enableFlag: 0,
      revokeTime: null,
    });
    expect(await other.data(`${auth}/mcp/connection/list`, {})).toEqual([]);
    await replace(tenant, id, ['searchDevices']);
    const [open] = Object.values(eras);
    const client = await open?.(world.base, token);
    expect(await client?.list()).toHaveLength(1);
    world.clock.shift(61_000);
    await expect(client?.list()).rejects.toThrow('The connection of this client has expired');
    const past = { id, expireTime };
    expect((await tenant.post(`${auth}/mcp/connection/restore`, past)).status).toBe(422);
    expect((await other.post(`${auth}/mcp/connection/restore`, { id })).status).toBe(404);
    expect((await tenant.post(`${auth}/mcp/connection/restore`, { id })).status).toBe(200);
    expect(await client?.list()).toHaveLength(1);
    await client?.close();
  });

  it('names a client and a principal of this tenant that belong together', async () => {
    const { clientId } = await program(tenant);
    const foreign = await program(other);
    const { principalId } = await addPerson(tenant);
    expect((await connect(tenant, foreign.clientId)).status).toBe(404);
    expect((await connect(tenant, 'svc_nobody')).status).toBe(404);
    expect((await connect(tenant, clientId, { principalId: foreign.principalId })).status).toBe(
      404,
    );
    expect((await connect(tenant, clientId, { principalId })).status).toBe(422);
    expect((await connect(tenant, clientId, { grantType: 'authorization_code' })).status).toBe(422);
    expect((await connect(tenant, clientId)).status).toBe(200);
    expect((await connect(tenant, clientId)).status).toBe(409);
  });

  it('takes only tools that exist', async () => {
    const { clientId } = await program(tenant);
    const { id } = Id.parse((await connect(tenant, clientId)).body.data);
    const wrong = await replace(tenant, id, ['searchDevices', 'dropTables']);
    expect([wrong.status, wrong.body.message]).toEqual([422, 'Unknown tools']);
    expect(await tenant.data(`${auth}/mcp/connection/tools/list`, undefined, { id })).toEqual([]);
  });
});

describe('the audit of MCP calls', () => {
  it('tells every call: what succeeded, failed, and was denied', async () => {
    const { clientId, principalId, token } = await program(tenant);
    const [open] = Object.values(eras);
    if (!open) throw new Error('no client');
    const client = await open(world.base, token);
    await client.call('searchDevices', { deviceName: 'very private words' });
    await client.call('lookupDeviceById', { deviceId: '999999' });
    await expect(client.call('dropTables')).rejects.toThrow('Unknown tool');
    const { id } = Id.parse((await connect(tenant, clientId)).body.data);
    await replace(tenant, id, ['getSystemHealth']);
    await expect(client.call('searchDevices')).rejects.toThrow('Unknown tool');
    await client.close();
    const rows = await eventually(
      () => audit({ principalId }),
      (found) => found.length === 4,
    );
    expect(rows.map(({ toolName, status }) => [toolName, status])).toEqual([
      ['searchDevices', 'POLICY_DENIED'],
      ['dropTables', 'DENIED'],
      ['lookupDeviceById', 'ERROR'],
      ['searchDevices', 'SUCCESS'],
    ]);
    expect(rows[0]).toMatchObject({ clientId, connectionId: id, riskLevel: 'LOW' });
    expect(rows[0]?.argumentDigest).toMatch(/^[0-9a-f]{64}$/);
    expect(JSON.stringify(rows)).not.toContain('private words');
    expect(await audit({ principalId, status: 'ERROR' })).toHaveLength(1);
    expect(await audit({ principalId, toolId: 'searchDevices', limit: 1 })).toHaveLength(1);
    expect(await audit({}, other)).toEqual([]);
  });
});
