import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { propose } from '../../src/agentic/propose/action.ts';
import { mcpCallsWritten } from '../../src/auth/connection/audit.ts';
import { onboard } from '../support/devices/plant.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn } from '../tools/agent.ts';

const Rows = z.array(z.looseObject({ toolName: z.string(), traceId: z.string() }));

let token: string;
let ask: Ask;
const world = startedWorld();
const plant = prepared(() => onboard(world.admin));
beforeAll(async () => {
  const scope = 'svc:read svc:read-device svc:propose';
  token = await bearerFor(world.admin, { scope });
  ask = asking(world.base, token);
});

const wait = async (waitS: number) => {
  const { deviceId, target: pointId } = plant;
  const input = { deviceId, pointId, value: '21' };
  const { actionId } = await propose(world.app, agentIn(world.admin), input);
  return { name: 'lookupActionById', arguments: { actionId, waitS } };
};
const LEVEL = { 'io.modelcontextprotocol/logLevel': 'info' };

describe('a call that waits', () => {
  it('says every second how far it is, to a client that asks for it', async () => {
    const said = await ask('tools/call', await wait(2.5), { progressToken: 'mine' });
    expect(said.notices.length).toBeGreaterThanOrEqual(2);
    expect(said.notices[0]).toMatchObject({
      method: 'notifications/progress',
      params: { progressToken: 'mine', progress: 0, total: 3 },
    });
    const steps = said.notices.map(
      ({ params }) => z.looseObject({ progress: z.number() }).parse(params).progress,
    );
    expect(steps).toEqual(steps.toSorted((a, b) => a - b));
    expect(new Set(steps).size).toBe(steps.length);
    expect(said.result?.['structuredContent']).toMatchObject({ status: 'PENDING' });
  });

  it('writes a line for a client that asks for such lines', async () => {
    const said = await ask('tools/call', await wait(1), LEVEL);
    expect(said.notices).toMatchObject([
      { method: 'notifications/message', params: { level: 'info', logger: 'platform' } },
    ]);
  });

  it('says nothing to others, and nothing when it does not wait', async () => {
    expect((await ask('tools/call', await wait(1))).notices).toEqual([]);
    const both = { progressToken: 1, ...LEVEL };
    expect((await ask('tools/call', await wait(0), both)).notices).toEqual([]);
  });

  it('is so for a read from the device too', async () => {
    const point = { deviceId: plant.deviceId, pointId: plant.temperature };
    const call = { name: 'readPointValue', arguments: point };
    const said = await ask('tools/call', call, { progressToken: 1 });
    expect(said.notices[0]).toMatchObject({ params: { progress: 0, total: 10 } });
    expect(said.result?.['structuredContent']).toMatchObject({ status: 'SUCCESS' });
  });
});

describe('the trace of a client', () => {
  const traceOf = async (traceparent: unknown) => {
    await ask('tools/call', { name: 'searchDrivers', arguments: {} }, { traceparent });
    await mcpCallsWritten(world.app);
    const rows = await world.admin.data('/api/v3/auth/mcp/audit/list', { limit: 1 });
    return Rows.parse(rows)[0]?.traceId;
  };
  const found = async (traceId: string) => {
    await mcpCallsWritten(world.app);
    return Rows.parse(await world.admin.data('/api/v3/auth/mcp/audit/list', { traceId }));
  };
  const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';

  it('is in the audit of the call', async () => {
    expect(await traceOf(`00-${TRACE}-00f067aa0ba902b7-01`)).toBe(TRACE);
  });

  it('may be of a later version, which has more', async () => {
    const later = 'a'.repeat(32);
    expect(await traceOf(`01-${later}-00f067aa0ba902b7-01-more`)).toBe(later);
  });

  it('may come in the header of the request, and what the request says itself counts first', async () => {
    const header = 'b'.repeat(32);
    const call = async (meta: object): Promise<void> => {
      const response = await fetch(`${world.base}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
          traceparent: `00-${header}-00f067aa0ba902b7-01`,
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name: 'searchDrivers', arguments: {}, _meta: meta },
        }),
      });
      await response.text();
    };
    await call({});
    expect(await found(header)).toHaveLength(1);
    await call({ traceparent: `00-${'c'.repeat(32)}-00f067aa0ba902b7-01` });
    expect(await found(header)).toHaveLength(1);
    expect(await found('c'.repeat(32))).toMatchObject([{ toolName: 'searchDrivers' }]);
  });

  it('is what a call is found by in the audit', async () => {
    const trace = 'd'.repeat(32);
    await traceOf(`00-${trace}-00f067aa0ba902b7-01`);
    await traceOf('');
    expect(await found(trace)).toMatchObject([{ toolName: 'searchDrivers', traceId: trace }]);
    const wrong = await world.admin.post('/api/v3/auth/mcp/audit/list', {
      traceId: 'D'.repeat(32),
    });
    expect(wrong.status).toBe(400);
  });

  it.each([
    '',
    7,
    TRACE,
    `00-${TRACE}`,
    `00-${TRACE.toUpperCase()}-00f067aa0ba902b7-01`,
    `ff-${TRACE}-00f067aa0ba902b7-01`,
    `00-${TRACE}-00f067aa0ba902b7-01-more`,
    `01-${TRACE}-00f067aa0ba902b7-01more`,
    `00-${'0'.repeat(32)}-00f067aa0ba902b7-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    'x'.repeat(9_000),
  ])('is left out where it is none', async (traceparent) =>
    expect(await traceOf(traceparent)).toBe(''),
  );
});
