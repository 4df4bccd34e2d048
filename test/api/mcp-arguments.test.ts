import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { startedWorld } from '../support/world/prepared.ts';

const Texts = z.tuple([z.object({ text: z.string() })]);

let client: McpClient;
const world = startedWorld();
beforeAll(async () => {
  const connect = clients['client 2 pinned to 2026-07-28'];
  if (!connect) throw new Error('no such client');
  client = await connect(world.base, await bearerFor(world.admin, { scope: 'svc:read' }));
});
afterAll(async () => {
  await client?.close();
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
