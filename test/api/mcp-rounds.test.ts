import { beforeAll, describe, expect, it } from 'vitest';

import { mountFixtures } from '../support/conformance/mount.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import { startedWorld } from '../support/world/prepared.ts';

const READ = { scope: 'svc:read' };
const STATEFUL = { name: 'test_input_required_result_request_state', arguments: {} };
const answers = { confirm: { action: 'accept', content: { ok: true } } };
const CAPABILITIES = { elicitation: { form: {} } };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

let ask: Ask;
let requestState: unknown;
const world = startedWorld();
beforeAll(async () => {
  mountFixtures(world.app);
  ask = asking(world.base, await bearerFor(world.admin, READ), CAPABILITIES);
  const { result } = await ask('tools/call', STATEFUL);
  requestState = result?.['requestState'];
});

describe('the state between two rounds', () => {
  const again = (by: Ask, state: unknown, params: object = STATEFUL) =>
    by('tools/call', { ...params, inputResponses: answers, requestState: state });

  it('leads to the second', async () => {
    expect(await again(ask, requestState)).toMatchObject({
      result: { resultType: 'complete', content: [{ text: 'state-ok' }] },
    });
  });

  it.each([
    ['changed', (state: string) => `${state.slice(0, -2)}AA`],
    ['cut', (state: string) => state.slice(0, 20)],
    ['of nobody', () => 'v1.e30.AAAA'],
    ['no text', () => 7],
    ['endless', () => 'v1.'.repeat(10_000)],
  ])('%s: -32602', async (_what, change) => {
    const said = await again(ask, change(String(requestState)));
    expect(said.error?.code).toBe(-32602);
  });

  it('of another principal: -32602', async () => {
    const other = asking(world.base, await bearerFor(world.admin, READ), CAPABILITIES);
    expect((await again(other, requestState)).error?.code).toBe(-32602);
  });

  it('of another call: -32602', async () => {
    const elsewhere = { ...STATEFUL, name: 'test_input_required_result_tampered_state' };
    expect((await again(ask, requestState, elsewhere)).error?.code).toBe(-32602);
    const changed = { ...STATEFUL, arguments: { other: 1 } };
    expect((await again(ask, requestState, changed)).error?.code).toBe(-32602);
  });
});

describe('a client that did not declare', () => {
  it('what a tool asks for: -32021 that names it', async () => {
    const said = await ask('tools/call', { name: 'test_missing_capability', arguments: {} });
    expect(said).toMatchObject({
      status: 400,
      error: { code: -32021, data: { requiredCapabilities: { sampling: {} } } },
    });
  });

  it('tasks: -32021 for their methods and for what is answered as a task only', async () => {
    for (const said of [
      await ask('tasks/get', { taskId: 'any' }),
      await ask('tasks/cancel', { taskId: 'any' }),
      await ask('tools/call', { name: 'failing_job', arguments: {} }),
    ])
      expect(said).toMatchObject({
        error: { code: -32021, data: { requiredCapabilities: TASKS } },
      });
  });
});

describe('what clients write for what they leave out', () => {
  it.each([
    ['tools/list', null],
    ['tools/call', { name: 'searchDrivers', arguments: null }],
    ['tools/call', { name: 'searchDrivers', arguments: {}, _meta: { progressToken: null } }],
    ['tools/call', { name: 'searchDrivers', _meta: null }],
    ['tools/list', { cursor: null }],
    ['resources/list', { cursor: null }],
    ['prompts/get', { name: 'shift-handover', arguments: { since: null } }],
    [
      'completion/complete',
      {
        ref: { type: 'ref/prompt', name: 'operate-device' },
        argument: { name: 'device', value: '' },
        context: null,
      },
    ],
    [
      'initialize',
      {
        protocolVersion: '2025-11-25',
        capabilities: { sampling: null, roots: null },
        clientInfo: { name: 'x', version: '1', title: null },
      },
    ],
    // Not null, and as plain: the object as text, a number for a text.
    ['tools/call', { name: 'searchDrivers', arguments: '{"driverName":"x"}' }],
    ['prompts/get', { name: 'shift-handover', arguments: { since: 8 } }],
  ])('%s %j: as if it were left out', async (method, params) => {
    const response = await fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await bearerFor(world.admin, READ)}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-protocol-version': '2025-11-25',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    expect(response.status).toBe(200);
    expect(await response.text()).toContain('"result":{');
  });

  it.each([
    { capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    { protocolVersion: '2025-11-25', clientInfo: { name: 'x', version: '1' } },
    { protocolVersion: '2025-11-25', capabilities: {} },
    { protocolVersion: '2025-11-25', capabilities: { roots: 1 }, clientInfo: {} },
    {},
  ])('initialize with %j: -32602 in words', (params) => refused('initialize', params));

  it.each([
    ['tools/list', { cursor: 5 }],
    ['resources/templates/list', { cursor: {} }],
    ['resources/subscribe', {}],
    ['resources/unsubscribe', { uri: 5 }],
    ['logging/setLevel', { level: 'loud' }],
    ['prompts/get', { name: 'shift-handover', arguments: { since: {} } }],
    ['tools/call', { name: 'searchDrivers', arguments: 'all' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'x' }, argument: { name: 'x', value: null } },
    ],
  ])('%s with %j: -32602 in words', refused);

  async function refused(method: string, params: object) {
    const response = await fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${await bearerFor(world.admin, READ)}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    expect(await response.json()).toMatchObject({
      error: {
        code: -32602,
        message: expect.stringMatching(/^Wrong parameters: params\.[\w.]+ has/),
      },
    });
  }
});

it('says the extensions that it serves, in both eras', async () => {
  const discovered = await ask('server/discover');
  expect(discovered.result?.['capabilities']).toMatchObject({
    extensions: {
      'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
      'io.modelcontextprotocol/tasks': {},
      'io.modelcontextprotocol/oauth-client-credentials': {},
      'io.modelcontextprotocol/skills': {},
    },
  });
});

describe('what is wrong is said in words', () => {
  it.each([
    ['tools/call', { name: 7 }],
    ['tools/call', {}],
    ['resources/read', {}],
    ['prompts/get', { name: 'test_prompt_with_arguments', arguments: { arg1: 'a' } }],
    ['prompts/get', { name: 'test_simple_prompt', arguments: { more: 'a' } }],
    ['prompts/get', { name: 'no such prompt' }],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'none' }, argument: { name: 'a', value: '' } },
    ],
    [
      'completion/complete',
      {
        ref: { type: 'ref/resource', uri: 'svc://none/{id}' },
        argument: { name: 'id', value: '' },
      },
    ],
    ['completion/complete', {}],
    ['tools/list', { cursor: 'x' }],
    ['tasks/get', {}],
    ['tasks/get', { taskId: 'unknown' }],
  ])('%s %j: -32602', async (method, params) => {
    const by = asking(world.base, await bearerFor(world.admin, READ), TASKS);
    const { error } = await by(method, params);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toMatch(/^[A-Z][^\n]+$/);
  });

  it.each(['logging/setLevel', 'resources/subscribe', 'initialize'])(
    '%s, which 2026-07-28 does not have: -32601, whatever its parameters',
    async (method) => {
      expect((await ask(method, {})).error?.code).toBe(-32601);
    },
  );

  it('an unknown method: -32601', async () => {
    expect(await ask('tools/drop')).toMatchObject({ status: 404, error: { code: -32601 } });
    expect(await ask('__proto__')).toMatchObject({ status: 404, error: { code: -32601 } });
  });
});

it('lists say how long they hold, for their caller alone', async () => {
  for (const list of ['tools/list', 'prompts/list', 'resources/templates/list', 'server/discover'])
    expect((await ask(list)).result).toMatchObject({ ttlMs: 60_000, cacheScope: 'private' });
});
