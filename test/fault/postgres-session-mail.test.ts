import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { isFollowed } from '../../src/kernel/feed/follow.ts';
import { onboard } from '../support/devices/plant.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { speak } from '../support/people/mcp-session.ts';
import { eventually } from '../support/world/eventually.ts';
import { otherGateway } from '../support/world/other-node.ts';
import { prepared, started, startedWorld } from '../support/world/prepared.ts';

const Answer = z.looseObject({
  result: z.looseObject({ structuredContent: z.looseObject({ nextCursor: z.string() }) }),
});

let token: string;
const world = startedWorld();
const plant = prepared(() => onboard(world.admin));
const first = started(() => otherGateway(world.app));
const second = started(() => otherGateway(world.app));
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: 'svc:read svc:propose' });
});

describe('what a client of a session sends to another process than the one that runs its call', () => {
  it('is the answer to a question, with which the call goes on', async () => {
    const client = new Client(
      { name: 'platform-tests', version: '1.0.0' },
      { capabilities: { elicitation: { url: {} } } },
    );
    let asked = 0;
    client.setRequestHandler(ElicitRequestSchema, async () => {
      asked += 1;
      return { action: 'decline' as const };
    });
    const sentTo = new Map<string, number>();
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${first.base}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
        async fetch(url, init) {
          const isAnswer = typeof init?.body === 'string' && !init.body.includes('"method"');
          const base = isAnswer ? second.base : first.base;
          if (isAnswer) sentTo.set(base, (sentTo.get(base) ?? 0) + 1);
          return fetch(`${base}${new URL(url).pathname}`, init);
        },
      }),
    );
    for (const value of [13, 14]) {
      const target = { deviceId: plant.deviceId, pointId: plant.target };
      const call = { name: 'writePointValue', arguments: { ...target, value } };
      // An answer that does not arrive is waited for 30 s.
      const said = await client.callTool(call, undefined, { timeout: 20_000 });
      expect(said.structuredContent).toMatchObject({ status: 'PENDING' });
    }
    expect([asked, sentTo.get(second.base)]).toEqual([2, 2]);
    await client.close();
  });

  it('is a cancellation, which ends the call', async () => {
    const one = await speak(first.base, token);
    const wait = (id: number, input: object) =>
      one.send({ id, method: 'tools/call', params: { name: 'waitForEvents', arguments: input } });
    const now = await (await wait(100, {})).text();
    const data = /^data: (\{.*)$/m.exec(now)?.[1] ?? '';
    const cursor = Answer.parse(JSON.parse(data)).result.structuredContent.nextCursor;
    const waiting = await wait(101, { cursor, waitS: 45 });
    const { tenantId } = world.admin;
    await eventually(
      async () => isFollowed(first.node, tenantId),
      (is) => is,
    );
    const cancelled = await fetch(`${second.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-session-id': one.id,
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        method: 'notifications/cancelled',
        params: { requestId: 101 },
      }),
    });
    expect(cancelled.status).toBe(202);
    await eventually(
      async () => isFollowed(first.node, tenantId),
      (is) => !is,
    );
    await waiting.body?.cancel();
  });
});
