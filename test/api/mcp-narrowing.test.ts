import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { bearerFor } from '../support/people/bearer.ts';
import { clients } from '../support/people/mcp.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

const ALL = 'svc:read svc:read-device svc:propose';
const Listed = z.object({
  result: z.object({
    tools: z.array(
      z.object({
        name: z.string(),
        outputSchema: z.looseObject({ properties: z.looseObject({}) }),
      }),
    ),
  }),
});
const Answer = z.object({
  result: z.looseObject({ isError: z.boolean().optional() }).optional(),
  error: z.object({ message: z.string() }).optional(),
});

describe('a client that asks for less, or for more of a schema', () => {
  const world = startedWorld();
  const site = prepared(() => onboardVirtual(world, 'narrowed'));
  let token = '';
  beforeAll(async () => {
    token = await bearerFor(world.admin, { scope: ALL });
  });
  const send = async (path: string, method: string, params: object = {}, headers = {}) => {
    const response = await fetch(`${world.base}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
        ...headers,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    const text = await response.text();
    const json: unknown = JSON.parse(/^data: (\{.*)$/m.exec(text)?.[1] ?? text);
    return { status: response.status, json };
  };
  const listed = async (path: string, headers = {}) =>
    Listed.parse((await send(path, 'tools/list', {}, headers)).json).result.tools;
  const names = async (path: string, headers = {}) =>
    (await listed(path, headers)).map(({ name }) => name);
  const call = async (path: string, name: string, input: object, headers = {}) =>
    Answer.parse((await send(path, 'tools/call', { name, arguments: input }, headers)).json);

  it.each(['/mcp/readonly', '/mcp?readonly=1'])('at %s proposes nothing', async (path) => {
    const all = await names('/mcp');
    const less = await names(path);
    expect(all).toContain('writePointValue');
    expect(less).toContain('getLatestPointValue');
    for (const name of ['writePointValue', 'proposeWrites', 'withdrawAction', 'proposeTool'])
      expect(less).not.toContain(name);
    const write = { deviceId: site.deviceId, pointId: site.pointId, value: 21 };
    expect((await call(path, 'writePointValue', write)).error?.message).toContain('Unknown tool');
    const found = { name: 'proposeUndo', arguments: { actionId: crypto.randomUUID() } };
    expect((await call(path, 'proposeTool', found)).error?.message).toContain('Unknown tool');
    expect(await world.admin.data('/api/v3/agentic/action/pending')).toEqual([]);
    expect((await call(path, 'getHandover', {})).result?.isError).toBeFalsy();
  });

  it('names its tools in the address or a header, those that are found among them', async () => {
    const wanted = 'getHandover,previewRule';
    const expected = ['getHandover', 'searchTools', 'runTool'];
    expect(await names(`/mcp?tools=${wanted}`)).toEqual(expected);
    expect(await names('/mcp', { 'x-mcp-tools': wanted.replace(',', ', ') })).toEqual(expected);
    const other = await call(`/mcp?tools=${wanted}`, 'searchDevices', {});
    expect(other.error?.message).toContain('Unknown tool');
    const resources = await send(`/mcp?tools=${wanted}`, 'resources/templates/list');
    expect(resources.status).toBe(200);
  });

  it.each([
    ['/mcp?tools=getHandovr', {}, 'near: getHandover'],
    ['/mcp?tools=', {}, 'names of tools'],
    ['/mcp?readonly=maybe', {}, 'readonly must be'],
    ['/mcp', { 'x-mcp-schemas': 'all' }, 'schemas must be full or slim'],
  ])('with %s %j is refused, not answered with more', async (path, headers, words) => {
    const { status, json } = await send(path, 'tools/list', {}, headers);
    expect(status).toBe(422);
    expect(JSON.stringify(json)).toContain(words);
  });

  it('gets the whole schemas of results on request', async () => {
    const slim = (await listed('/mcp')).find(({ name }) => name === 'searchDevices');
    const whole = (await listed('/mcp?schemas=full')).find(({ name }) => name === 'searchDevices');
    expect(slim?.outputSchema.properties['records']).toEqual({ type: 'array' });
    expect(whole?.outputSchema.properties).toMatchObject({
      records: { items: { properties: { deviceName: { type: 'string' } } } },
      ofGroup: { type: 'string' },
    });
  });

  it('finds the metadata of the address that it calls', async () => {
    const path = '/.well-known/oauth-protected-resource/mcp/readonly';
    const found = await fetch(`${world.base}${path}`);
    expect(await found.json()).toMatchObject({ resource: `${world.base}/mcp` });
  });

  it('has answers that fit the whole schemas', async () => {
    for (const connect of Object.values(clients)) {
      const client = await connect(world.base, token, '/mcp?schemas=full');
      try {
        // The client compares each result with the schema of the list.
        await client.list();
        for (const name of ['getHandover', 'searchDevices', 'searchPointValues', 'searchAlarms'])
          expect((await client.call(name, {})).isError).toBeFalsy();
        const { deviceId, pointId } = site;
        await client.call('getPointValueHistory', { deviceId, pointId, hours: 1 });
        await client.call('getLatestPointValue', { deviceId, pointId });
      } finally {
        await client.close();
      }
    }
  });
});
