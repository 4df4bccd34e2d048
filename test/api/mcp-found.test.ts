import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { usageWritten } from '../../src/auth/agent/usage-store.ts';
import { inputSchema } from '../../src/kernel/input/json-schema.ts';
import { tools } from '../../tools/index.ts';
import { addRole } from '../support/people/accounts.ts';
import { actionsIn } from '../support/people/actions.ts';
import { programFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, toolNamed } from '../tools/agent.ts';

const auth = '/api/v3/auth';
const ALL = 'svc:read svc:read-device svc:propose';
const ENTRIES = ['searchTools', 'runTool', 'proposeTool'];
const Found = z.object({
  tools: z.array(
    z.object({
      name: z.string(),
      description: z.string(),
      proposes: z.boolean(),
      callWith: z.string(),
      inputSchema: z.looseObject({ type: z.literal('object') }),
    }),
  ),
  others: z.array(z.string()),
});
const Listed = z.object({ tools: z.array(z.object({ name: z.string() })) });
const Id = z.object({ id: z.string() });
const Structured = z.looseObject({ readAs: z.array(z.string()).optional() });

const world = startedWorld({ environment: { SVC_AGENT_REPEATS: '4' } });
const tenant = prepared(() => world.tenant('here'));

async function program({ scope = ALL, permissions = [] as string[] } = {}) {
  const roleId = permissions.length > 0 ? await addRole(tenant, permissions) : null;
  const role = roleId && (await tenant.data(`${auth}/role/get_by_id`, undefined, { id: roleId }));
  const roleCode = role ? z.object({ roleCode: z.string() }).parse(role).roleCode : undefined;
  const given = await programFor(tenant, { scope, ...(roleCode && { roleCode }) });
  return { ...given, ask: asking(world.base, given.token) };
}
/** Limits a program to these tools. */
async function limit({ clientId }: { clientId: string }, toolIds: readonly string[]) {
  const { id } = Id.parse(await tenant.data(`${auth}/mcp/connection/add`, { clientId }));
  await tenant.data(`${auth}/mcp/connection/tools/replace`, { connectionId: id, toolIds });
  return id;
}
const call = (ask: Ask, name: string, input: object = {}) =>
  ask('tools/call', { name, arguments: input });
const entriesFor = async (ask: Ask) =>
  Listed.parse((await ask('tools/list')).result)
    .tools.map(({ name }) => name)
    .filter((name) => ENTRIES.includes(name));
const find = async (ask: Ask, words = '') =>
  Found.parse((await call(ask, 'searchTools', { words })).result?.['structuredContent']);
const namesFor = async (ask: Ask) => {
  const { tools: described, others } = await find(ask);
  return [...described.map(({ name }) => name), ...others].toSorted();
};
const audit = (principalId: string, count: number) =>
  eventually(
    async () =>
      z
        .array(z.looseObject({ toolName: z.string() }))
        .parse(await tenant.data(`${auth}/mcp/audit/list`, { principalId })),
    (rows) => rows.length >= count,
  );

describe('a tool that is not in the list', () => {
  it('is found by words, with its arguments and how it is called, in at most 1,500 tokens', async () => {
    const { ask } = await program();
    expect(await entriesFor(ask)).toEqual(ENTRIES);
    const hidden = tools.filter(({ listed }) => listed === 'found').map(({ name }) => name);
    expect(await namesFor(ask)).toEqual(hidden.toSorted());
    const whole = await find(ask);
    expect(countTokens(JSON.stringify(whole))).toBeLessThanOrEqual(1_500);
    const [first] = (await find(ask, 'how did proposals end')).tools;
    expect(first).toMatchObject({ name: 'searchActions', proposes: false, callWith: 'runTool' });
    expect(first?.inputSchema).toEqual(inputSchema(toolNamed('searchActions')));
    const [other] = (await find(ask, 'firmwre update')).tools;
    expect(other).toMatchObject({
      name: 'proposeFirmware',
      proposes: true,
      callWith: 'proposeTool',
    });
    expect((await find(ask, 'qqqq')).tools).toEqual([]);
  });

  it('answers as when it is called by its name, its arguments as JSON or as an object', async () => {
    const { ask } = await program();
    const { site, proposeIn } = actionsIn(world, tenant);
    await proposeIn(await site(), '22');
    const input = { status: 'PENDING' };
    const { result } = await call(ask, 'searchActions', input);
    expect(result).toMatchObject({ structuredContent: { records: [{ status: 'PENDING' }] } });
    // What devices and users wrote is marked likewise.
    expect(result?.['_meta']).toMatchObject({ 'svc/untrusted': expect.any(Array) });
    for (const given of [input, JSON.stringify(input)]) {
      const found = await call(ask, 'runTool', { name: 'searchActions', arguments: given });
      expect(found.result).toEqual(result);
    }
  });

  const meant = { status: 'PENDING', since: '2020-01-01T00:00:00Z' };
  const text = JSON.stringify(meant);
  it.each<[how: string, input: object, isSaid?: true]>([
    ['null for no arguments', { name: 'searchActions', arguments: null }, true],
    ['an empty list', { name: 'searchActions', arguments: [] }, true],
    ['the word null', { name: 'searchActions', arguments: 'null' }, true],
    ['an empty text', { name: 'searchActions', arguments: '' }],
    ['names in another case', { Name: 'search_actions', Arguments: meant }, true],
    ['a name in quotation marks', { name: '"searchActions"', arguments: text }, true],
    ['a list of one name', { name: ['searchActions'], arguments: meant }, true],
    ['a list of one', { name: 'searchActions', arguments: [meant] }],
    ['a fence', { name: 'searchActions', arguments: `\`\`\`json\n${text}\n\`\`\`` }],
    ['Python', { name: 'searchActions', arguments: text.replaceAll('"', "'") }],
    ['JSON twice', { name: 'searchActions', arguments: JSON.stringify(text) }],
    ['the call as the arguments', { arguments: { name: 'searchActions', arguments: meant } }],
    [
      'the call as a text',
      { input: JSON.stringify({ name: 'searchActions', arguments: meant }) },
      true,
    ],
  ])(
    'is run where its call is spelled with %s, which the answer says',
    async (_how, input, isSaid) => {
      const { ask } = await program();
      const { result } = await call(ask, 'runTool', input);
      const { readAs, ...answer } = Structured.parse(result?.['structuredContent']);
      expect(answer).toMatchObject({ records: expect.any(Array), returned: expect.any(Number) });
      if (isSaid) expect(readAs?.length).toBeGreaterThan(0);
    },
  );

  it.each([
    ['runTool', { name: 'searchActions', arguments: { sinse: 1 } }, 'near: since'],
    ['runTool', { name: 'searchActions', arguments: '{' }, 'has to be one JSON object'],
    ['runTool', { name: 'searchActions', arguments: [1] }, 'has to be one JSON object'],
    ['runTool', { arguments: {} }, 'name'],
    ['runTool', { name: 'searchActions', since: 1 }, 'accepted: name, arguments'],
    ['runTool', { name: 'proposeFirmware' }, 'proposeFirmware is called with proposeTool'],
    ['proposeTool', { Name: 'propose_firmware', arguments: { packageId: 'no' } }, 'deviceIds'],
    ['proposeTool', { name: 'propose_firmware', arguments: 'no' }, 'has to be one JSON object'],
    ['proposeTool', { name: 'searchActions' }, 'searchActions is called with runTool'],
    ['runTool', { name: 'readPointValue' }, 'readPointValue is called by its name'],
    ['proposeTool', { name: 'writePointValue' }, 'writePointValue is called by its name'],
    ['runTool', { name: 'runTool', arguments: { name: 'searchActions' } }, 'by its name'],
  ])('is not run by %s with %j', async (name, input, words) => {
    const { ask } = await program();
    const { result } = await call(ask, name, input);
    expect(result).toMatchObject({ isError: true });
    expect(JSON.stringify(result?.['content'])).toContain(words);
  });

  it('does not exist for a role without its permission', async () => {
    const { ask } = await program({
      permissions: ['svc-center-agentic:action:get', 'svc-center-manager:device:get'],
    });
    expect(await entriesFor(ask)).toEqual(['searchTools', 'runTool']);
    expect(await namesFor(ask)).toEqual(['searchActions']);
    const none = await call(ask, 'runTool', { name: 'noSuchThing' });
    expect(none.error?.code).toBe(-32_602);
    for (const name of ['proposeFirmware', 'readPointValue']) {
      const { error } = await call(ask, 'runTool', { name });
      expect(error?.code).toBe(-32_602);
      expect(error?.message.split('; near')[0]).toBe(none.error?.message.split('; near')[0]);
      expect(error?.message).not.toContain(name);
    }
    const closed = await call(ask, 'proposeTool', { name: 'proposeFirmware' });
    expect(closed.error?.message).toContain('Unknown tool');
    const { ask: outside } = await program({ permissions: ['svc-center-manager:device:get'] });
    expect(await entriesFor(outside)).toEqual([]);
    expect((await call(outside, 'searchTools')).error?.message).toContain('Unknown tool');
  });

  it('is one of those a connection names, and no connection names what leads to it', async () => {
    const limited = await program();
    await limit(limited, ['getSystemHealth']);
    expect(await entriesFor(limited.ask)).toEqual([]);
    const denied = await call(limited.ask, 'runTool', { name: 'searchActions' });
    expect(denied.error?.message).toContain('Unknown tool');
    const [row] = await audit(limited.principalId, 1);
    expect(row).toMatchObject({ toolName: 'searchActions', status: 'POLICY_DENIED' });

    const open = await program();
    const id = await limit(open, ['searchActions']);
    expect(await namesFor(open.ask)).toEqual(['searchActions']);
    const run = await call(open.ask, 'runTool', { name: 'searchActions' });
    expect(run.result?.['isError']).toBeUndefined();
    const named = { connectionId: id, toolIds: ['searchTools'] };
    const refused = await tenant.post(`${auth}/mcp/connection/tools/replace`, named);
    expect(refused.status).toBe(422);
  });

  it('takes its scope, for which the client is sent back', async () => {
    const { ask, token } = await program({ scope: 'svc:read' });
    expect(await entriesFor(ask)).toEqual(['searchTools', 'runTool']);
    const refusal = async (name: string, input: object) => {
      const { status, headers } = await fetch(`${world.base}/mcp`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'application/json, text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          jsonrpc: '2.0',
          id: 1,
          method: 'tools/call',
          params: { name, arguments: input },
        }),
        signal: AbortSignal.timeout(30_000),
      });
      return { status, challenge: headers.get('www-authenticate') };
    };
    const direct = await refusal('proposeFirmware', {});
    expect(direct).toMatchObject({
      status: 403,
      challenge: expect.stringContaining('svc:propose'),
    });
    expect(await refusal('proposeTool', { name: 'proposeFirmware' })).toEqual(direct);
  });

  it('is in the audit, counted and stopped under its own name', async () => {
    const { ask, principalId, clientId } = await program();
    const id = await limit({ clientId }, ['searchActions', 'proposeFirmware']);
    await call(ask, 'searchTools');
    await call(ask, 'runTool', { name: 'searchActions', arguments: '{"since":1}' });
    const firmware = { packageId: 'none', deviceIds: ['none'] };
    const proposal = { name: 'proposeFirmware', arguments: JSON.stringify(firmware) };
    expect((await call(ask, 'proposeTool', proposal)).result).toMatchObject({ isError: true });
    const rows = await audit(principalId, 3);
    expect(rows).toMatchObject([
      {
        toolName: 'proposeFirmware',
        toolId: 'proposeFirmware',
        permissionCode: 'svc-center-agentic:firmware_rollout:propose',
        riskLevel: 'HIGH',
        status: 'ERROR',
      },
      {
        toolName: 'searchActions',
        permissionCode: 'svc-center-agentic:action:get',
        riskLevel: 'LOW',
        status: 'SUCCESS',
      },
      { toolName: 'searchTools', riskLevel: 'LOW', status: 'SUCCESS' },
    ]);
    await usageWritten(world.app);
    const usage = z
      .array(z.object({ budget: z.string(), connection: z.looseObject({ used: z.number() }) }))
      .parse(await tenant.data(`${auth}/mcp/connection/usage`, undefined, { id }));
    const used = Object.fromEntries(
      usage.map(({ budget, connection }) => [budget, connection.used]),
    );
    expect(used).toMatchObject({ calls: 3, proposals: 1, deviceReads: 0 });
    await tenant.data(`${auth}/mcp/connection/read_only`, { id, readOnly: true });
    const stopped = await call(ask, 'proposeTool', proposal);
    expect(JSON.stringify(stopped.result)).toContain('Agents only read for this connection now');
    const read = await call(ask, 'runTool', { name: 'searchActions' });
    expect(read.result?.['isError']).toBeUndefined();
  });

  it('is not run again and again, whichever way it is called', async () => {
    const { ask } = await program();
    const input = { since: '2020-01-01T00:00:00Z', status: 'REJECTED' };
    const given = { name: 'searchActions', arguments: JSON.stringify(input) };
    let words = '';
    for (let turn = 0; turn < 30 && !words.includes('is not run again'); turn += 1) {
      const { result } =
        turn % 2 === 0
          ? await call(ask, 'runTool', given)
          : await call(ask, 'searchActions', input);
      words = JSON.stringify(result?.['content']);
    }
    expect(words).toContain('searchActions with these arguments had the same answer');
    expect(words).toContain(`${world.app.config.agentRepeats} times`);
  });
});

it('every tool is in the list or found by its own name', () => {
  const caller = agentIn(tenant);
  const found = tools.filter(({ listed }) => listed === 'found');
  expect(found.length).toBeGreaterThan(0);
  return Promise.all(
    found.map(async ({ name, title }) => {
      for (const words of [name, title]) {
        const answer = Found.parse(
          await toolNamed('searchTools').run(world.app, caller, { words }),
        );
        expect(answer.tools[0]?.name).toBe(name);
      }
    }),
  );
});
