import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { resources } from '../../tools/resource/index.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { eventually } from '../support/world/eventually.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboardVirtual, type Site } from '../tools/agent.ts';

const ALL = 'svc:read svc:read-device svc:propose';

let token: string;
let site: Site;
const world = startedWorld();
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: ALL });
  site = await onboardVirtual(world, 'site');
});

const eras = Object.entries(clients);
/** Connects with the first of the clients, or the one given, and closes it afterwards. */
async function connected<T>(
  work: (client: McpClient) => Promise<T>,
  bearer = token,
  connect = eras[0]?.[1],
): Promise<T> {
  const client = await connect?.(world.base, bearer);
  if (!client) throw new Error('no client');
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}

const fixed = resources.filter(({ uri }) => !uri.includes('{')).map(({ uri }) => uri);
const templates = resources.filter(({ uri }) => uri.includes('{')).map(({ uri }) => uri);

describe.each(eras)('resources, for %s', (_era, connect) => {
  const asked = <T>(work: (client: McpClient) => Promise<T>, bearer = token) =>
    connected(work, bearer, connect);

  it('are announced, with subscriptions to them', () =>
    asked(async (client) => {
      expect(client.capabilities()).toMatchObject({ resources: { subscribe: true } });
    }));

  it('are listed: what every tenant has and its devices; the rest by templates', () =>
    asked(async (client) => {
      const { resources: listed } = await client.resources();
      expect(listed.map(({ uri }) => uri)).toEqual(
        expect.arrayContaining([...fixed, `svc://device/${site.deviceId}`]),
      );
      const told = await client.templates();
      expect(told.map(({ uriTemplate }) => uriTemplate)).toEqual(templates);
      for (const one of [...listed, ...told])
        expect(one).toMatchObject({ title: expect.any(String), mimeType: 'application/json' });
    }));

  it('tell a device and its latest values', () =>
    asked(async (client) => {
      const { deviceId, pointId } = site;
      expect(await client.read(`svc://device/${deviceId}`)).toMatchObject({
        deviceId,
        deviceName: 'site device',
        status: expect.any(String),
      });
      expect(await client.read(`svc://device/${deviceId}/point/${pointId}/value`)).toMatchObject({
        pointId,
        value: expect.any(String),
        unit: '°C',
        quality: 'GOOD',
      });
      expect(await client.read(`svc://device/${deviceId}/point`)).toMatchObject({
        deviceId,
        total: 1,
        returned: 1,
        truncated: false,
        records: [{ pointId, pointName: 'site set-point', unit: '°C', quality: 'GOOD' }],
      });
    }));

  it('tell a proposal from its beginning to its receipt, and nothing that could decide it', () =>
    asked(async (client) => {
      const { deviceId, pointId } = site;
      const proposed = await client.call('writePointValue', { deviceId, pointId, value: 21.5 });
      const { actionId } = Proposed.parse(proposed.structuredContent);
      const uri = `svc://action/${actionId}`;
      const waiting = await client.read('svc://action/pending');
      expect(waiting).toMatchObject({
        total: 1,
        records: [{ actionId, deviceId, pointId, proposedValue: '21.5', unit: '°C' }],
      });
      expect(await client.read(uri)).toMatchObject({ actionId, status: 'PENDING', receipt: null });
      const { digest } = z
        .object({ digest: z.string() })
        .parse(await world.admin.data(`${ACTION}/get`, undefined, { action_id: actionId }));
      const seen = JSON.stringify([waiting, await client.read(uri)]);
      expect(seen).not.toContain(digest);
      const { status } = await world.admin.post(`${ACTION}/confirm`, { action_id: actionId });
      expect(status).toBe(200);
      const done = await eventually(
        () => client.read(uri),
        (action) => action['status'] === 'EXECUTED',
      );
      expect(done).toMatchObject({
        actionId,
        decidedName: 'admin',
        done: true,
        say: expect.stringMatching(
          / became 21\.5 °C: written \S+Z, read back, confirmed by “admin”\.$/,
        ),
      });
      expect(done['receipt']).toEqual({
        commandId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        status: 'SUCCESS',
        verification: 'VERIFIED',
        readBackValue: '21.5',
        errorCode: '',
      });
      expect(await client.read('svc://action/pending')).toMatchObject({ total: 0, records: [] });
    }));

  it.each([
    ['a missing id', 'svc://device/999999999'],
    ['a missing uuid', 'svc://action/00000000-0000-4000-8000-000000000000'],
    ['an id that is none', 'svc://device/one'],
    ['a point of no device', 'svc://device/999999999/point/1/value'],
    ['another scheme', 'file:///etc/passwd'],
    ['another path', 'svc://device/1/secrets'],
    ['an empty part', 'svc://device//point'],
    ['a part too many', 'svc://alarm/active/'],
    ['an escaped part', 'svc://device/%31'],
    ['a query', 'svc://action/pending?all=1'],
    ['a template', 'svc://device/{deviceId}'],
    ['nothing', ''],
    ['a long one', `svc://device/${'1'.repeat(3_000)}`],
  ])('answer that %s is not found, and only that', async (_what, uri) => {
    const error = await asked((client) => client.read(uri).catch((reason: unknown) => reason));
    expect(error).toMatchObject({
      code: -32602,
      message: expect.stringContaining('Resource not found'),
      data: { uri: uri.slice(0, 1024) },
    });
  });

  it('answer alike for a point that is not of the device, and for one that does not exist', () =>
    asked(async (client) => {
      const other = await world.admin.data('/api/v3/manager/profile/add', {
        profileName: `other ${_era.replaceAll(/[^a-z0-9]/g, '')}`.slice(0, 32),
      });
      const pointId = await world.admin.data('/api/v3/manager/point/add', {
        pointName: 'elsewhere',
        pointTypeFlag: 'DOUBLE',
        profileId: other,
      });
      const reading = (id: unknown) =>
        client
          .read(`svc://device/${site.deviceId}/point/${String(id)}/value`)
          .catch((reason: unknown) => NoSuch.parse(reason));
      expect(await reading(pointId)).toEqual(await reading('999999999'));
    }));
});

const ACTION = '/api/v3/agentic/action';
const Proposed = z.object({ actionId: z.string() });
const NoSuch = z.object({ code: z.literal(-32602), message: z.string() });
