import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { permissionCodes } from '../../src/gateway/mount/centers.ts';
import {
  BadRequest,
  Conflict,
  Forbidden,
  NotFound,
  TooManyRequests,
  Unavailable,
  Unprocessable,
} from '../../src/kernel/errors.ts';
import { readResource } from '../../src/mcp/offer/resource-adapter.ts';
import { resources } from '../../tools/resource/index.ts';
import { addRole } from '../support/people/accounts.ts';
import { bearerFor, programFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { eventually } from '../support/world/eventually.ts';
import { otherNode } from '../support/world/other-node.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard } from '../tools/agent.ts';

const ALL = 'svc:read svc:read-device svc:propose';

const world = startedWorld();
const site = prepared(() => onboard(world.admin, 'site'));

async function connected<T>(work: (client: McpClient) => Promise<T>, bearer: string): Promise<T> {
  const [connect] = Object.values(clients);
  const client = await connect?.(world.base, bearer);
  if (!client) throw new Error('no client');
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

/** What a client is told of a resource whose reading fails so. */
function failing(why: Error): Promise<unknown> {
  const [resource] = resources.filter(({ uri }) => uri === 'svc://alarm/active');
  if (!resource) throw new Error('no resource');
  const app = otherNode(world.app, {
    resources: [{ ...resource, read: () => Promise.reject(why) }],
  });
  const caller = {
    ...agentIn(world.admin),
    connection: { tools: null, connectionId: '0', ended: null, stop: null, budgets: {} },
    client: { name: '', version: '', remoteIp: '' },
    address: world.base,
    expiresAt: Number.POSITIVE_INFINITY,
    traceId: '',
  };
  const call = {
    caller,
    present: <T>(work: (now: typeof caller) => Promise<T>) => work(caller),
    again: async () => caller,
  };
  return readResource(app, call, resource.uri).catch((told: unknown) => told);
}

const fixed = resources.filter(({ uri }) => !uri.includes('{')).map(({ uri }) => uri);

describe('every resource', () => {
  it.each(resources.map((one) => [one.uri, one] as const))('%s is described', (_uri, one) => {
    expect(one.description.length).toBeGreaterThanOrEqual(40);
    expect(one.description.length).toBeLessThanOrEqual(300);
    expect(one.scope).toBe('svc:read');
    expect(permissionCodes()).toContain(one.permission);
    if (one.list) expect(permissionCodes()).toContain(one.list.permission);
    expect([...one.uri.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)).toEqual(
      Object.keys(one.params.shape),
    );
  });

  it('needs the scope to read, which the server says to ask for', async () => {
    const bearer = await bearerFor(world.admin, { scope: 'svc:propose' });
    const body = { jsonrpc: '2.0', id: 1, method: 'resources/read' };
    const response = await fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${bearer}`,
      },
      body: JSON.stringify({ ...body, params: { uri: `svc://device/${site.deviceId}` } }),
    });
    expect(response.status).toBe(403);
    expect(response.headers.get('www-authenticate')).toMatch(
      /^Bearer error="insufficient_scope".* scope="svc:propose svc:read"/,
    );
    await connected(async (client) => {
      expect((await client.resources()).resources).toEqual([]);
      expect(await client.templates()).toEqual([]);
    }, bearer);
  });

  it('needs its permission; without it there is no such resource', async () => {
    const held = 'svc-center-manager:device:get';
    const roleCode = await roleOf([held]);
    const bearer = await bearerFor(world.admin, { scope: ALL, roleCode });
    await connected(async (client) => {
      // Those of the list need the permission to list as well.
      expect((await client.resources()).resources).toEqual([]);
      expect((await client.templates()).map(({ uriTemplate }) => uriTemplate)).toEqual([
        'svc://device/{deviceId}',
        'svc://device/{deviceId}/registration',
      ]);
      expect(await client.read(`svc://device/${site.deviceId}`)).toMatchObject({
        deviceName: 'site device',
      });
      for (const uri of [...fixed, `svc://device/${site.deviceId}/point`])
        await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, data: { uri } });
    }, bearer);
  });

  it('is limited by what a connection names, as tools are', async () => {
    const { token: bearer, clientId } = await program();
    const added = await world.admin.data('/api/v3/auth/mcp/connection/add', { clientId });
    const { id } = z.object({ id: z.string() }).parse(added);
    const replace = (toolIds: readonly string[]) =>
      world.admin.data('/api/v3/auth/mcp/connection/tools/replace', { connectionId: id, toolIds });
    await connected(async (client) => {
      expect((await client.resources()).resources).toEqual([]);
      await replace(['svc://alarm/active', 'searchDevices']);
      expect((await client.resources()).resources).toMatchObject([{ uri: 'svc://alarm/active' }]);
      expect(await client.read('svc://alarm/active')).toMatchObject({ records: expect.anything() });
      const uri = `svc://device/${site.deviceId}`;
      await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, data: { uri } });
    }, bearer);
  });

  it('leaves a record of who read what, and of what was refused', async () => {
    const { token: bearer, principalId } = await program();
    await connected(async (client) => {
      await client.read(`svc://device/${site.deviceId}`);
      await client.read('svc://device/999999999').catch(() => {});
      await client.read('svc://nothing').catch(() => {});
    }, bearer);
    const rows = await eventually(
      async () =>
        z
          .array(z.looseObject({ toolId: z.string(), status: z.string() }))
          .parse(await world.admin.data('/api/v3/auth/mcp/audit/list', { principalId })),
      (found) => found.length === 3,
    );
    expect(rows.map(({ toolId, status }) => [toolId, status])).toEqual([
      ['', 'DENIED'],
      ['svc://device/{deviceId}', 'ERROR'],
      ['svc://device/{deviceId}', 'SUCCESS'],
    ]);
  });
});

describe('a resource that cannot be read now', () => {
  it.each([new TooManyRequests('slowly', 1), new Unavailable('not now'), new Conflict('busy')])(
    'says so, and not that there is none: %s',
    async (error) => {
      expect(await failing(error)).toMatchObject({ code: -32603, message: error.message });
    },
  );

  it.each([
    new NotFound(),
    new Forbidden(),
    new BadRequest('no such id'),
    new Unprocessable('of another device'),
  ])('is a resource that is not there for this caller: %s', async (error) => {
    expect(await failing(error)).toMatchObject({ code: -32602, message: 'Resource not found' });
  });
});

/** The code of a new role that holds exactly these codes. */
async function roleOf(codes: readonly string[]): Promise<string> {
  const id = await addRole(world.admin, codes);
  const role = await world.admin.data('/api/v3/auth/role/get_by_id', undefined, { id });
  return z.object({ roleCode: z.string() }).parse(role).roleCode;
}

const program = () => programFor(world.admin, { scope: ALL });
