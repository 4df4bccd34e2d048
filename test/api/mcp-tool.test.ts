import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import type { Tool } from '../../src/kernel/app/app.ts';
import { inputSchema, outputSchema } from '../../src/kernel/input/json-schema.ts';
import { tools } from '../../tools/index.ts';
import { everythingIn, type Ids } from '../support/cases/mcp-ids.ts';
import { callOf, listed, offered } from '../support/cases/offered.ts';
import { addRole } from '../support/people/accounts.ts';
import { executedIn } from '../support/people/actions.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { clients, type McpClient } from '../support/people/mcp.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { onboardVirtual } from '../tools/agent.ts';

const SCOPES = ['svc:read', 'svc:read-device', 'svc:propose'] as const;
const ALL = SCOPES.join(' ');
const Hints = z.strictObject({
  readOnlyHint: z.boolean(),
  destructiveHint: z.boolean(),
  idempotentHint: z.boolean(),
  openWorldHint: z.boolean(),
});
const Text = z.tuple([z.object({ type: z.literal('text'), text: z.string() })]);
const Properties = z.object({ properties: z.record(z.string(), z.unknown()) });
const Required = z.object({ required: z.array(z.string()).default([]) });
/** A validator of what a server announced. */
const schemaOf = (json: unknown): z.ZodType => {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it comes as JSON; what is no schema throws
  const schema = json as Parameters<typeof z.fromJSONSchema>[0];
  return z.fromJSONSchema(schema);
};

const eras = Object.entries(clients);
let ids: Ids;
let executed: string;
const sessions = new Map<string, McpClient>();
/** The tools as each era lists them. */
const lists = new Map<string, Awaited<ReturnType<McpClient['list']>>>();
const world = startedWorld();
beforeAll(async () => {
  const token = await bearerFor(world.admin, { scope: ALL });
  for (const [era, connect] of eras) sessions.set(era, await connect(world.base, token));
  for (const [era, client] of sessions) lists.set(era, await client.list());
  ids = await everythingIn(world, world.admin, clientOf(eras[0]?.[0] ?? ''), 'site');
  executed = await executedIn(world, world.admin, await onboardVirtual(world, 'undone'));
});
afterAll(async () => {
  for (const client of sessions.values()) await client.close();
});

function clientOf(era: string): McpClient {
  const client = sessions.get(era);
  if (!client) throw new Error(`no client of ${era}`);
  return client;
}

/** Arguments of which every required one names something that exists, or is a value to write. */
const argumentsFor = (tool: Tool, at = 0) => callOf(tool, (called) => ownArguments(called, at));

function ownArguments(tool: Tool, at: number): Record<string, unknown> {
  const { required } = Required.parse(inputSchema(tool));
  const value = (field: string): string => (ids[field]?.[at] ?? ids[field]?.[0]) || '21';
  // One point by its ids answers under the keys of before, which are not announced.
  if (tool.name === 'getPointValueHistory')
    return { points: [`${value('deviceId')}/${value('pointId')}`] };
  if (tool.name === 'proposeWrites')
    return {
      writes: [
        { deviceId: value('deviceId'), pointId: value('pointId'), value: 22 },
        { deviceId: value('otherDeviceId'), pointId: value('otherPointId'), value: 22 },
      ],
    };
  if (tool.name === 'previewRule') return { ruleId: value('ruleId') };
  if (tool.name === 'drillNotification')
    return { ruleId: value('ruleId'), at: '2026-11-29T03:00:00Z' };
  if (tool.name === 'proposeRule')
    return { pointId: value('pointId'), ruleName: 'too hot', operator: '>', threshold: 90 };
  if (tool.name === 'proposeSilence') return { alarmId: ids['alarmId']?.[0], hours: 1 };
  if (tool.name === 'proposeMaintenance')
    return { maintenanceName: 'belt', plant: true, end: '2099-01-01', begin: '2098-12-31' };
  if (tool.name === 'proposeOnboarding')
    return { waitingId: value('waitingId'), deviceName: 'new' };
  if (tool.name === 'proposeUndo') return { actionId: executed };
  if (tool.name === 'proposeConfirmation') return { alarmIds: [value('alarmId')] };
  if (tool.name === 'proposeFirmware')
    return { packageId: value('packageId'), groupId: value('groupId') };
  return Object.fromEntries(required.map((field) => [field, value(field)]));
}

describe.each(eras)('a tool, called by %s', (era) => {
  it.each(tools)(
    '$name answers what its output schema announces, and the same as text',
    async (tool) => {
      const client = clientOf(era);
      const known = lists.get(era)?.find(({ name }) => name === tool.name);
      const schema = tool.listed === 'direct' ? known?.outputSchema : outputSchema(tool);
      const announced = schemaOf(schema);
      const fields = Object.keys(Properties.parse(schema).properties);
      // The second round takes the other kind of id where a tool knows two.
      for (const at of [0, 1]) {
        const answer = await client.call(tool.name, argumentsFor(tool, at));
        expect(answer.isError ?? false).toBe(false);
        const { error } = announced.safeParse(answer.structuredContent);
        expect(error?.issues ?? []).toEqual([]);
        expect(Object.keys(answer.structuredContent ?? {})).toEqual(expect.arrayContaining(fields));
        const [{ text }] = Text.parse(answer.content);
        expect(JSON.parse(text)).toEqual(answer.structuredContent);
      }
      const wrong = Object.fromEntries(fields.map((field) => [field, Symbol('of no type')]));
      expect(announced.safeParse(wrong).success).toBe(fields.length === 0);
    },
  );

  it.each(tools.filter((tool) => tool.listed === 'direct'))(
    '$name says its hints, of changes only where it makes some',
    ({ name, annotations }) => {
      const known = lists.get(era)?.find((tool) => tool.name === name);
      const { readOnlyHint, openWorldHint } = annotations;
      expect(known?.annotations).toEqual(
        readOnlyHint ? { readOnlyHint, openWorldHint } : Hints.parse(annotations),
      );
    },
  );

  it.each(SCOPES)('is one of those of the scope %s, when the token has no other', async (scope) => {
    const connect = clients[era];
    const client = await connect?.(world.base, await bearerFor(world.admin, { scope }));
    if (!client) throw new Error('no client');
    const isOfScope = (tool: Tool): boolean => tool.scope === scope;
    expect((await client.list()).map(({ name }) => name)).toEqual(listed(isOfScope));
    const having = new Set(offered(isOfScope));
    for (const tool of tools.filter((each) => !having.has(each) && each.name !== 'searchTools')) {
      const refusal: unknown = await client
        .call(tool.name, argumentsFor(tool))
        .catch((reason: unknown) => reason);
      expect(String(refusal)).toMatch(/insufficient|scope/i);
    }
    await client.close();
  });
});

const Table = z.looseObject({ columns: z.array(z.string()), rows: z.array(z.array(z.unknown())) });

/** Of a table, whose columns are named once. */
function withoutAges(value: unknown): unknown {
  const table = Table.safeParse(value).data;
  if (!table) return value;
  const ages = table.columns.map((name) => /^(?:s|\w*[aA]geS)$/.test(name));
  const rows = table.rows.map((row) => row.map((cell, index) => (ages[index] ? 0 : cell)));
  return { ...table, rows };
}

/** Without what no two calls share: ids of new rows, times, ages and durations. */
const lasting = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_name, each: unknown) => withoutAges(each))
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, 'uuid')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)/g, 'time')
      .replaceAll(
        /"(s|\w*(?:[aA]geS|gapS|leftS|Ms|[cC]ursor|repeated|rolloutId))":(?:"[^"]*"|[\d.]+|true|false)/g,
        '"$1":0',
      )
      .replaceAll(/rollout\/\d+/g, 'rollout')
      .replaceAll(/\d+ (?:seconds?|minutes?) ago|just now/g, 'then')
      .replaceAll(/(?:\d+ (?:d|h|min|s)\b ?)+/g, 'long '),
  );

describe('in both revisions', () => {
  it.each(tools)('$name answers the same', async (tool) => {
    const answers = [];
    for (const [, client] of sessions)
      answers.push(lasting((await client.call(tool.name, argumentsFor(tool))).structuredContent));
    const [first, ...others] = answers;
    expect(first).toBeTypeOf('object');
    for (const other of others) expect(other).toEqual(first);
  });
});

describe('a tool', () => {
  const permissions = [
    ...new Set(tools.flatMap(({ permission, opens }) => (opens ? [] : [permission]))),
  ];

  it.each(permissions)(
    'of %s is there for who has that permission, and no other is',
    async (code) => {
      const id = await addRole(world.admin, [code]);
      const role = await world.admin.data('/api/v3/auth/role/get_by_id', undefined, { id });
      const { roleCode } = z.object({ roleCode: z.string() }).parse(role);
      const token = await bearerFor(world.admin, { scope: ALL, roleCode });
      for (const [, connect] of eras.slice(0, 2)) {
        const client = await connect(world.base, token);
        const asksForIt = ({ permission }: Tool): boolean => permission === code;
        expect((await client.list()).map(({ name }) => name)).toEqual(listed(asksForIt));
        const having = new Set(offered(asksForIt));
        for (const tool of tools.filter((each) => !having.has(each)))
          await expect(client.call(tool.name, argumentsFor(tool))).rejects.toMatchObject({
            code: -32602,
            message: expect.stringContaining('Unknown tool'),
          });
        await client.close();
      }
    },
  );
});
