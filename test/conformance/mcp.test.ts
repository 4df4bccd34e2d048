import { beforeAll, describe, expect, it } from 'vitest';

import { listed } from '../support/cases/offered.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients } from '../support/people/mcp.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboard, type Site } from '../tools/agent.ts';

let token: string;
let site: Site;
const world = startedWorld();
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: 'svc:read svc:read-device svc:propose' });
  site = await onboard(world.admin, 'site');
});

describe.each(Object.entries(clients))('%s', (_name, connect) => {
  it('connects, lists the tools and calls one', async () => {
    const client = await connect(world.base, token);
    try {
      expect(client.serverName()).toBe('device-data-platform');
      const tools = await client.list();
      expect(tools.map(({ name }) => name)).toEqual(listed());
      // Each client checks the answer against the output schema before it hands it on.
      const answer = await client.call('lookupDeviceById', { deviceId: site.deviceId });
      expect(answer).toMatchObject({ structuredContent: { deviceName: 'site device' } });
    } finally {
      await client.close();
    }
  });

  it('hears of a failed call as a result with isError', async () => {
    const client = await connect(world.base, token);
    try {
      const answer = await client.call('lookupDeviceById', { deviceId: '999999999' });
      expect(answer).toMatchObject({
        isError: true,
        content: [
          { type: 'text', text: 'Device does not exist; searchDevices lists what there is' },
        ],
      });
    } finally {
      await client.close();
    }
  });

  it('hears of an unknown tool as a protocol error', async () => {
    const client = await connect(world.base, token);
    try {
      await expect(client.call('noSuchTool')).rejects.toMatchObject({ code: -32602 });
    } finally {
      await client.close();
    }
  });
});

it('every client of either era gets the same list and the same structured content', async () => {
  const seen = await Promise.all(
    Object.values(clients).map(async (connect) => {
      const client = await connect(world.base, token);
      try {
        const { structuredContent } = await client.call('searchPoints', {
          deviceId: site.deviceId,
        });
        const list = (await client.list()).map(({ name, inputSchema, outputSchema }) => ({
          name,
          inputSchema,
          outputSchema,
        }));
        return { list, structuredContent };
      } finally {
        await client.close();
      }
    }),
  );
  expect(seen[1]).toEqual(seen[0]);
  expect(seen[2]).toEqual(seen[0]);
  expect(seen[0]?.structuredContent).toMatchObject({ total: 1 });
});
