import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { waitSeconds } from '../../tools/shape/progress.ts';
import { onboard } from '../support/devices/plant.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import { happens } from '../support/runs/happenings.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { ImpatientClock } from '../support/world/shifted-clock.ts';

const CAN_OPEN = { elicitation: { url: {} } };
const Proposed = z.looseObject({
  actionId: z.uuid(),
  status: z.literal('PENDING'),
  say: z.string(),
  reviewUrl: z.string(),
});
const Waited = z.looseObject({ nextCursor: z.string(), returned: z.number() });

let token: string;
let value = 12;
// What waits for 15 s or more waits for a thirtieth of it.
const world = startedWorld({ clock: new ImpatientClock(15_000, 30) });
const plant = prepared(() => onboard(world.admin));
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: 'svc:read svc:propose' });
});

function write() {
  value += 1;
  const target = { deviceId: plant.deviceId, pointId: plant.target };
  return { name: 'writePointValue', arguments: { ...target, value } };
}

describe('a client that declares elicitation and does not do it is answered as one that cannot', () => {
  /** The official client until 2025-11-25, with that answer to each question; without one it knows no such method. */
  async function session(answer?: () => Promise<{ action: 'decline' | 'cancel' | 'accept' }>) {
    const old = new Client(
      { name: 'platform-tests', version: '1.0.0' },
      { capabilities: CAN_OPEN },
    );
    if (answer) old.setRequestHandler(ElicitRequestSchema, answer);
    await old.connect(
      new StreamableHTTPClientTransport(new URL(`${world.base}/mcp`), {
        requestInit: { headers: { authorization: `Bearer ${token}` } },
      }),
    );
    return old;
  }

  it.each([
    ['declines', async () => ({ action: 'decline' as const })],
    ['cancels', async () => ({ action: 'cancel' as const })],
    [
      'fails',
      async () => {
        throw new Error('no browser here');
      },
    ],
    ['does not know the method (-32601)', undefined],
    ['never answers', () => new Promise<never>(() => {})],
  ])('a session whose client %s', async (_what, answer) => {
    const old = await session(answer);
    const said = await old.callTool(write());
    await old.close();
    expect(said.isError).toBeFalsy();
    expect(Proposed.parse(said.structuredContent).reviewUrl).toContain('/console/review/');
  });

  it('a client of 2026-07-28 that drops the question and calls again', async () => {
    const ask = asking(world.base, token, CAN_OPEN);
    const call = write();
    expect((await ask('tools/call', call)).result?.['resultType']).toBe('input_required');
    const { result } = await ask('tools/call', call);
    expect(result?.['resultType']).toBe('complete');
    expect(Proposed.parse(result?.['structuredContent'])).toMatchObject({ repeated: true });
  });

  it('a client of 2026-07-28 that sends the state back without an answer', async () => {
    const ask = asking(world.base, token, CAN_OPEN);
    const call = write();
    const requestState = (await ask('tools/call', call)).result?.['requestState'];
    const { result } = await ask('tools/call', { ...call, requestState });
    Proposed.parse(result?.['structuredContent']);
  });
});

describe('a call that waits', () => {
  const wait = async (ask: Ask, input: object, meta: Record<string, unknown> = {}) => {
    const call = { name: 'waitForEvents', arguments: input };
    return ask('tools/call', call, meta);
  };
  const cursorNow = async (ask: Ask) =>
    Waited.parse((await wait(ask, {})).result?.['structuredContent']).nextCursor;

  it('waits for events with progress, which says the place to go on from', async () => {
    const ask = asking(world.base, token);
    const said = await wait(ask, { waitS: 2.5, kinds: ['alarm'] }, { progressToken: 'mine' });
    const { nextCursor } = Waited.parse(said.result?.['structuredContent']);
    expect(said.notices.length).toBeGreaterThanOrEqual(2);
    expect(said.notices.at(-1)).toMatchObject({
      params: { progressToken: 'mine', total: 3, message: expect.stringMatching(/cursor f\d+$/) },
    });
    expect(JSON.stringify(said.notices.at(-1))).toContain(nextCursor);
  });

  it('of more than fifty seconds waits fifty, less than any client does', async () => {
    expect(waitSeconds().parse(600)).toBe(50);
    const { tools } = z
      .object({ tools: z.array(z.looseObject({ name: z.string() })) })
      .parse((await asking(world.base, token)('tools/list')).result);
    for (const name of ['waitForEvents', 'lookupActionById'])
      expect(JSON.stringify(tools.find((tool) => tool.name === name))).toContain('50 at most');
  });

  /** The answer of a long call as it comes. */
  async function longCall(input: object, accept = 'application/json, text/event-stream') {
    const response = await fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept,
        'content-type': 'application/json',
        'mcp-protocol-version': '2026-07-28',
        'mcp-method': 'tools/call',
        'mcp-name': 'waitForEvents',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 'long',
        method: 'tools/call',
        params: {
          name: 'waitForEvents',
          arguments: input,
          _meta: {
            'io.modelcontextprotocol/protocolVersion': '2026-07-28',
            'io.modelcontextprotocol/clientCapabilities': {},
          },
        },
      }),
    });
    return response;
  }

  it('of 2026-07-28 gets a sign of life before a proxy gives it up, then its answer', async () => {
    const cursor = await cursorNow(asking(world.base, token));
    const response = await longCall({ cursor, waitS: 20 });
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/event-stream');
    await happens(world, { tenantId: world.admin.tenantId, message: 'It is too warm' });
    const text = await response.text();
    expect(text).toMatch(/^: waiting\n\n/);
    const [, data = ''] = /^data: (.+)$/m.exec(text) ?? [];
    expect(JSON.parse(data)).toMatchObject({
      id: 'long',
      result: { resultType: 'complete', structuredContent: { returned: 1 } },
    });
  });

  it('is answered as JSON when it is short', async () => {
    const cursor = await cursorNow(asking(world.base, token));
    const short = await longCall({ cursor, waitS: 0 });
    expect(short.headers.get('content-type')).toContain('application/json');
  });
});

it('the list of tools takes 6,000 tokens at most as it is on the wire', async () => {
  const all = await bearerFor(world.admin, { scope: 'svc:read svc:read-device svc:propose' });
  const { result } = await asking(world.base, all)('tools/list');
  expect(countTokens(JSON.stringify(result))).toBeLessThanOrEqual(6_000);
});
