import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { inputSchema } from '../../src/kernel/input/json-schema.ts';
import { tools } from '../../tools/index.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const ReadAs = z.looseObject({ readAs: z.array(z.string()).optional() });
const Counted = z
  .object({ total: z.unknown(), returned: z.unknown(), columns: z.unknown() })
  .partial();
const Fields = z.object({
  properties: z.record(z.string(), z.object({ type: z.unknown(), default: z.unknown() }).partial()),
});
const Texts = z.tuple([z.object({ text: z.string() })]);

/** Of a device and its point. */
const POINT = 'argued device set-point';

let client: McpClient;
const world = startedWorld();
beforeAll(async () => {
  const connect = clients['client 2 pinned to 2026-07-28'];
  if (!connect) throw new Error('no such client');
  await onboard(world.admin, 'argued');
  client = await connect(world.base, await bearerFor(world.admin, { scope: 'svc:read' }));
});
afterAll(async () => {
  await client?.close();
});

describe('arguments as models send them', () => {
  it.each([
    ['searchDevices', { limit: '5', cursor: null }, ['limit: 5', 'cursor: left out']],
    ['searchAlarms', { state: 'firing', since: '8 hours', cursor: '' }, ['cursor: left out']],
    [
      'searchPointValues',
      { quality: 'bad', writable: 'true' },
      ['quality: "BAD"', 'writable: true'],
    ],
    ['getPointValueHistory', { points: POINT, hours: '24' }, ['points: as a list', 'hours: 24']],
    ['getHandover', { since: '06:00' }, undefined],
  ])(
    'of %s, %j, are understood, and named where they were changed',
    async (name, given, readAs) => {
      const { isError, structuredContent } = await client.call(name, given);
      expect({ isError: isError ?? false, readAs: ReadAs.parse(structuredContent).readAs }).toEqual(
        {
          isError: false,
          readAs,
        },
      );
    },
  );
});

describe('arguments that a strict program must send', () => {
  it.each(
    tools
      .filter(({ listed, scope, input }) => {
        return listed === 'direct' && scope === 'svc:read' && input.safeParse({}).success;
      })
      .map((tool) => [tool.name, tool] as const),
  )('of %s are those left out', async (name, tool) => {
    const { properties } = Fields.parse(inputSchema(tool));
    const optional = Object.entries(properties);
    const nothing = Object.fromEntries(optional.map(([field]) => [field, null]));
    const empty = optional.flatMap(([field, { type, default: usual }]) =>
      type === 'string' ? [[field, usual ?? '']] : type === 'array' ? [[field, []]] : [],
    );
    const said = await Promise.all(
      [{}, nothing, Object.fromEntries(empty)].map(async (given) => {
        const { isError, structuredContent } = await client.call(name, given);
        const { readAs: _, ...rest } = ReadAs.parse(structuredContent ?? {});
        return { isError, ...Counted.parse(rest) };
      }),
    );
    expect(said).toEqual([said[0], said[0], said[0]]);
  });
});

describe('wrong arguments', () => {
  it.each([
    [
      'lookupDeviceById',
      { id: '1' },
      /^Wrong arguments: deviceId: .*; Unrecognized key: "id"; accepted: deviceId$/,
    ],
    ['searchDevices', { online: false }, /: "online"; accepted: (?:\w+, )*deviceName(?:, \w+)*$/],
    ['lookupDeviceById', { deviceId: '0' }, /deviceId: must be an id .* or a name/],
  ])('of %s, %j, are refused with what it takes', async (name, given, refusal) => {
    const answer = await client.call(name, given);
    const [{ text }] = Texts.parse(answer.content);
    expect({ isError: answer.isError, structured: answer.structuredContent, text }).toEqual({
      isError: true,
      structured: undefined,
      text: expect.stringMatching(refusal),
    });
  });
});
