import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../support/devices/plant.ts';
import { actionsIn } from '../support/people/actions.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const URL_ONLY = { elicitation: { url: {} } };
const TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
const Answer = z.looseObject({ actionId: z.string(), status: z.string(), done: z.boolean() });
const Asked = z.looseObject({
  requestState: z.string(),
  inputRequests: z.object({
    review: z.looseObject({ params: z.looseObject({ url: z.string() }) }),
  }),
});

let token: string;
let actions: ReturnType<typeof actionsIn>;
let value = 12;
const world = startedWorld();
const plant = prepared(() => onboard(world.admin));
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: 'svc:read svc:propose' });
  actions = actionsIn(world, world.admin);
});

/** A write of a value of its own, as it has to be sent again. */
function write() {
  value += 1;
  const target = { deviceId: plant.deviceId, pointId: plant.target };
  return { name: 'writePointValue', arguments: { ...target, value } };
}
const client = (capabilities: object): Ask => asking(world.base, token, capabilities);
const actionIn = (url: string): string => new URL(url).pathname.split('/').at(-1) ?? '';
const accepted = { inputResponses: { review: { action: 'accept' } } };

describe('a client of 2026-07-28 that can open an address', () => {
  const ask = () => client(URL_ONLY);

  it('is sent to the review page, and its yes confirms nothing', async () => {
    const call = write();
    const { result } = await ask()('tools/call', call);
    expect(result?.['resultType']).toBe('input_required');
    const asked = Asked.parse(result);
    const { url } = asked.inputRequests.review.params;
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/console\/review\/[0-9a-f-]{36}$/);
    const again = { ...call, ...accepted, requestState: asked.requestState };
    for (let round = 0; round < 5; round += 1) {
      const looked = await ask()('tools/call', again);
      const answer = Answer.parse(looked.result?.['structuredContent']);
      expect(answer).toMatchObject({ actionId: actionIn(url), status: 'PENDING', done: false });
    }
    expect(await actions.commandsOf(actionIn(url))).toEqual([]);
    expect((await actions.auditOf(actionIn(url))).map(({ action }) => action)).toEqual([
      'action:propose',
    ]);
  });

  it('sees with the next look what a human decided', async () => {
    const call = write();
    const asked = Asked.parse((await ask()('tools/call', call)).result);
    const actionId = actionIn(asked.inputRequests.review.params.url);
    expect((await actions.decide('confirm', actionId, { wait_ms: 10_000 })).status).toBe(200);
    const again = { ...call, ...accepted, requestState: asked.requestState };
    const looked = await ask()('tools/call', again);
    expect(looked.result?.['structuredContent']).toMatchObject({ status: 'EXECUTED', done: true });
  });

  it('cannot turn its state into that of another write', async () => {
    const asked = Asked.parse((await ask()('tools/call', write())).result);
    const other = { ...write(), ...accepted, requestState: asked.requestState };
    expect((await ask()('tools/call', other)).error?.code).toBe(-32602);
  });
});

describe('a client that takes tasks', () => {
  const ask = (method: string, params: Record<string, unknown>) => client(TASKS)(method, params);
  const start = async () => {
    const { result } = await ask('tools/call', write());
    return z.looseObject({ resultType: z.literal('task'), taskId: z.string() }).parse(result)
      .taskId;
  };
  const look = async (taskId: string) => (await ask('tasks/get', { taskId })).result;

  it('gets one that ends with the receipt of the device', async () => {
    const taskId = await start();
    expect(await look(taskId)).toMatchObject({ status: 'working', ttlMs: null });
    // What the test before wrote may be heard of meanwhile, and renew the card.
    const confirmed = async () => {
      const { digest } = await actions.actionOf(taskId);
      return (await actions.decide('confirm', taskId, { digest })).status;
    };
    await eventually(confirmed, (status) => status === 200);
    const ended = await eventually(
      () => look(taskId),
      (task) => task?.['status'] === 'completed',
    );
    expect(ended).toMatchObject({
      taskId,
      resultType: 'complete',
      result: { structuredContent: { actionId: taskId, status: 'EXECUTED', done: true } },
    });
    expect(JSON.stringify(ended)).toContain('read back');
  });

  it('gets one for several writes as one, which ends with what became of each', async () => {
    const other = await onboard(world.admin);
    value += 1;
    const writes = [plant, other].map(({ deviceId, target }) => {
      return { deviceId, pointId: target, value };
    });
    const { result } = await ask('tools/call', { name: 'proposeWrites', arguments: { writes } });
    const taskId = String(result?.['taskId']);
    expect(await look(taskId)).toMatchObject({ status: 'working' });
    const { digest } = await actions.actionOf(taskId);
    expect((await actions.decide('confirm', taskId, { digest })).status).toBe(200);
    const ended = await eventually(
      () => look(taskId),
      (task) => task?.['status'] === 'completed',
    );
    const made = { status: 'EXECUTED', say: expect.stringContaining('read back') };
    expect(ended).toMatchObject({
      result: { structuredContent: { done: true, writes: [made, made] } },
    });
  });

  it('finds it in another process of its client, and after the answer of a human was no', async () => {
    const taskId = await start();
    expect((await actions.decide('reject', taskId)).status).toBe(200);
    expect(await look(taskId)).toMatchObject({
      status: 'completed',
      result: { isError: true, structuredContent: { status: 'REJECTED', done: false } },
    });
  });

  it('cannot confirm through it: what it says there is heard and changes nothing', async () => {
    const taskId = await start();
    for (const answer of [{ action: 'accept' }, { action: 'accept', content: { confirm: true } }]) {
      const inputResponses = { review: answer, confirm: answer, [taskId]: answer };
      const said = await ask('tasks/update', { taskId, inputResponses });
      expect(said.result).toEqual({ resultType: 'complete', _meta: expect.anything() });
    }
    expect(await look(taskId)).toMatchObject({ status: 'working' });
    expect(await actions.commandsOf(taskId)).toEqual([]);
  });

  it('withdraws the proposal by cancelling the task, and can do so again', async () => {
    const taskId = await start();
    for (const _ of [1, 2]) expect((await ask('tasks/cancel', { taskId })).error).toBeUndefined();
    expect(await look(taskId)).toMatchObject({ status: 'cancelled' });
    expect((await actions.decide('confirm', taskId)).status).toBe(409);
  });

  it("does not find another tenant's, nor what is no task", async () => {
    const taskId = await start();
    const theirs = await world.tenant('elsewhere');
    const foreign = await bearerFor(theirs, { scope: 'svc:read svc:propose' });
    const other = asking(world.base, foreign, TASKS);
    for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
      const said = await other(method, { taskId });
      const unknown = await other(method, { taskId: crypto.randomUUID() });
      expect(said.error).toEqual(unknown.error);
      expect(said.error).toMatchObject({ code: -32602, message: 'Unknown task' });
    }
    expect(await look(taskId)).toMatchObject({ status: 'working' });
  });

  it('is asked to open the review page where it can', async () => {
    const both = client({ ...TASKS, ...URL_ONLY });
    const { result } = await both('tools/call', write());
    const taskId = String(result?.['taskId']);
    expect((await both('tasks/get', { taskId })).result).toMatchObject({
      status: 'input_required',
      inputRequests: { review: { params: { mode: 'url' } } },
    });
    expect(await look(taskId)).toMatchObject({ status: 'working' });
  });
});

it('a session of 2025-11-25 is asked too, and its yes confirms nothing', async () => {
  const old = new Client(
    { name: 'platform-tests', version: '1.0.0' },
    { capabilities: { elicitation: { url: {} } } },
  );
  const urls: string[] = [];
  old.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    if (params.mode === 'url') urls.push(params.url);
    return { action: 'accept' };
  });
  const own = await bearerFor(world.admin, { scope: 'svc:read svc:propose' });
  const headers = { authorization: `Bearer ${own}` };
  const url = new URL(`${world.base}/mcp`);
  await old.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  const { structuredContent } = await old.callTool(write());
  await old.close();
  const { actionId, status } = Answer.parse(structuredContent);
  expect(urls.map(actionIn)).toEqual([actionId]);
  expect(status).toBe('PENDING');
  expect(await actions.commandsOf(actionId)).toEqual([]);
});
