import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { callTool } from '../../src/agentic/chat/loop/tool-call.ts';
import { dropOldUsage, usageWritten, writeUsageSoon } from '../../src/auth/agent/usage-store.ts';
import { add, keepUsage, AGENT_USAGE } from '../../src/auth/agent/usage.ts';
import { acrossTenants } from '../../src/db/tenant.ts';
import type { Caller } from '../../src/kernel/app/app.ts';
import { onboard as onboardPlant } from '../support/devices/plant.ts';
import { type Program, programFor, tokenFor } from '../support/people/bearer.ts';
import { type Ask, asking } from '../support/people/mcp-2026.ts';
import type { Session } from '../support/people/session.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { freshDatabase } from '../support/world/database.ts';
import { otherGateway, otherNode } from '../support/world/other-node.ts';
import { prepared, started } from '../support/world/prepared.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { agentIn } from '../tools/agent.ts';

const auth = '/api/v3/auth';
const SCOPE = 'svc:read svc:read-device svc:propose';
const environment = {
  SVC_AGENT_CONNECTION_BUDGET: 'calls=8,deviceReads=2,proposals=1,outputTokens=none',
  SVC_AGENT_PRINCIPAL_BUDGET: 'calls=12,deviceReads=none,proposals=none,outputTokens=100000',
};
const HOUR = 3_600_000;

let world: World<HeldClock>;
let admin: Session;
const data = prepared(() => freshDatabase());
beforeAll(async () => {
  world = await startWorld<HeldClock>({ clock: new HeldClock(), database: data, environment });
  admin = world.admin;
});
const plant = prepared(() => onboardPlant(admin));
afterAll(() => world.stop());

const Row = z.object({ id: z.string() });
type Connected = Program & { id: string; ask: Ask };

/** A program with a connection for these tools, and how it asks. */
async function connected(): Promise<Connected> {
  const program = await programFor(admin, { scope: SCOPE });
  const { clientId } = program;
  const { id } = Row.parse(await admin.data(`${auth}/mcp/connection/add`, { clientId }));
  const toolIds = ['searchDevices', 'readPointValue', 'writePointValue', 'svc://alarm/active'];
  await admin.data(`${auth}/mcp/connection/tools/replace`, { connectionId: id, toolIds });
  return { ...program, id, ask: asking(world.base, program.token) };
}
const call = (ask: Ask, name = 'searchDevices', input: object = {}) =>
  ask('tools/call', { name, arguments: input });
const read = (ask: Ask) =>
  call(ask, 'readPointValue', { deviceId: plant.deviceId, pointId: plant.temperature });
const write = (ask: Ask, value: number) =>
  call(ask, 'writePointValue', { deviceId: plant.deviceId, pointId: plant.target, value });
type Said = Awaited<ReturnType<Ask>>;
const isAnswer = ({ result }: Said): boolean => result !== undefined && result['isError'] !== true;
const wordsOf = ({ result, error }: Said): string => JSON.stringify(result ?? error);

const Usage = z.array(
  z.object({
    budget: z.string(),
    connection: z.object({ used: z.number(), limit: z.number().nullable() }),
    principal: z.object({ used: z.number(), limit: z.number().nullable() }),
  }),
);
async function usageOf({ id }: Connected) {
  await usageWritten(world.app);
  const listed = Usage.parse(await admin.data(`${auth}/mcp/connection/usage`, undefined, { id }));
  return Object.fromEntries(
    listed.map(({ budget, connection, principal }) => [
      budget,
      [connection.used, connection.limit, principal.used, principal.limit],
    ]),
  );
}

describe('the budget of a connection', () => {
  it('ends its calls in words that say which, how much, until when and what to do instead', async () => {
    const program = await connected();
    for (let turn = 0; turn < 8; turn += 1)
      expect(isAnswer(await call(program.ask)), String(turn)).toBe(true);
    const refused = await call(program.ask);
    expect(refused).toMatchObject({ status: 200, result: { isError: true } });
    expect(wordsOf(refused)).toMatch(
      /The budget of this connection is used up: 8 of 8 calls in the last hour. Some is free again at \d{4}-\S+Z. Ask for several things in one call/,
    );
    expect(wordsOf(await program.ask('resources/read', { uri: 'svc://alarm/active' }))).toContain(
      'The budget of this connection is used up',
    );
    expect(await usageOf(program)).toMatchObject({ calls: [8, 8, 8, 12] });
    expect(isAnswer(await call((await connected()).ask))).toBe(true);
  });

  it('counts reads from devices and proposals, each by itself', async () => {
    const program = await connected();
    expect(isAnswer(await read(program.ask))).toBe(true);
    expect(isAnswer(await read(program.ask))).toBe(true);
    expect(wordsOf(await read(program.ask))).toContain('2 of 2 reads from devices');
    expect(isAnswer(await write(program.ask, 21))).toBe(true);
    expect(wordsOf(await write(program.ask, 22))).toContain('1 of 1 proposals');
    expect(isAnswer(await call(program.ask))).toBe(true);
    const used = await usageOf(program);
    expect(used).toMatchObject({ calls: [4, 8, 4, 12], deviceReads: [2, 2, 2, null] });
    expect(used).toMatchObject({ proposals: [1, 1, 1, null] });
    expect(used['outputTokens']?.[0]).toBeGreaterThan(100);
  });

  it('can differ from the default, up to that of its principal', async () => {
    const program = await connected();
    const set = (budgets: object) =>
      admin.post(`${auth}/mcp/connection/budgets/replace`, { connectionId: program.id, budgets });
    expect((await set({ calls: 13 })).status).toBe(422);
    expect((await set({ calls: null })).status).toBe(422);
    expect((await set({ calls: 1, outputTokens: 50_000 })).status).toBe(200);
    expect(isAnswer(await call(program.ask))).toBe(true);
    expect(wordsOf(await call(program.ask))).toContain('1 of 1 calls');
    expect((await set({ calls: 12 })).status).toBe(200);
    for (let turn = 0; turn < 11; turn += 1) expect(isAnswer(await call(program.ask))).toBe(true);
    expect(wordsOf(await call(program.ask))).toContain('12 of 12 calls');
    expect((await set({})).status).toBe(200);
    expect(await usageOf(program)).toMatchObject({ calls: [12, 8, 12, 12] });
  });

  it('is free again after an hour', async () => {
    const program = await connected();
    for (let turn = 0; turn < 8; turn += 1) await call(program.ask);
    expect(isAnswer(await call(program.ask))).toBe(false);
    await usageWritten(world.app);
    world.clock.shift(HOUR);
    // Its token has ended with the hour.
    const ask = asking(
      world.base,
      await tokenFor(world.base, program.authorization, { scope: SCOPE }),
    );
    expect(isAnswer(await call(ask))).toBe(true);
    expect(await usageOf(program)).toMatchObject({ calls: [1, 8, 1, 12] });
  });
});

describe('the budget of a principal', () => {
  it('counts what it does in the chat too', async () => {
    const { principalId, ask } = await connected();
    const { clientId: _, scopes: __, ...agent } = agentIn(admin);
    const caller: Caller = { ...agent, principalId, via: 'login' };
    const said = (id: number) => ({ id: `c${id}`, name: 'searchDevices', arguments: '{}' });
    const talk = { conversationId: 'talk', offered: world.app.tools };
    for (let turn = 0; turn < 6; turn += 1) {
      expect(isAnswer(await call(ask))).toBe(true);
      const outcome = await callTool(world.app, caller, said(turn), talk);
      expect(outcome.status).toBe('success');
    }
    expect(wordsOf(await call(ask))).toContain('The budget of this account is used up: 12 of 12');
    const refused = await callTool(world.app, caller, said(6), talk);
    expect(refused).toMatchObject({
      status: 'failed',
      content: expect.stringContaining('The budget of this account is used up'),
    });
  });

  it('counts the tokens of what it gets', async () => {
    const { ask, id } = await connected();
    await admin.data(`${auth}/mcp/connection/budgets/replace`, {
      connectionId: id,
      budgets: { outputTokens: 1 },
    });
    expect(isAnswer(await call(ask))).toBe(true);
    expect(wordsOf(await call(ask))).toMatch(/\d+ of 1 tokens of answers/);
  });
});

describe('several processes', () => {
  const other = started(() => otherGateway(world.app));

  it('share a budget: each knows what another wrote with its own next write', async () => {
    const program = await connected();
    const elsewhere = asking(other.base, program.token);
    for (let turn = 0; turn < 3; turn += 1) {
      expect(isAnswer(await call(program.ask))).toBe(true);
      expect(isAnswer(await call(elsewhere))).toBe(true);
    }
    await usageWritten(world.app);
    await usageWritten(other.node);
    // The other one has read all six, this one its own three and what had been written by then.
    expect(isAnswer(await call(elsewhere))).toBe(true);
    expect(isAnswer(await call(elsewhere))).toBe(true);
    expect(wordsOf(await call(elsewhere))).toContain('8 of 8 calls');
    await usageWritten(other.node);
    await call(program.ask);
    await usageWritten(world.app);
    expect(isAnswer(await call(program.ask))).toBe(false);
    const used = (await usageOf(program))['calls']?.[0];
    expect(used).toBeLessThanOrEqual(9);
  });
});

describe('a restart', () => {
  it('takes nothing away from what was used', async () => {
    const program = await connected();
    // What is used is written a second later; of the last second, only the stop writes it.
    world.clock.hold();
    for (let turn = 0; turn < 8; turn += 1) await call(program.ask);
    await world.halt();
    world = await startWorld<HeldClock>({ clock: new HeldClock(), database: data, environment });
    admin = world.admin;
    // The endpoint has another address now, which a token is for.
    const again = asking(
      world.base,
      await tokenFor(world.base, program.authorization, { scope: SCOPE }),
    );
    expect(wordsOf(await call(again))).toContain('8 of 8 calls');
  });
});

describe('what was used', () => {
  it('is dropped once it counts no more, also of what is used no more', async () => {
    const bucket = (ms: number) => new Date(world.clock.now() - ms);
    const { rows } = await acrossTenants(world.app.db, 'agents', async (q) => {
      await sql`insert into svc_agent_usage (tenant_id, kind, subject_id, bucket) values
        (${admin.tenantId}, 'connection', 20000000, ${bucket(2 * HOUR + 1)}),
        (${admin.tenantId}, 'connection', 20000000, ${bucket(HOUR)})`.execute(q);
      await dropOldUsage(q, world.clock.now());
      return sql`select bucket from svc_agent_usage where subject_id = 20000000`.execute(q);
    });
    expect(rows).toHaveLength(1);
  });
});

describe('a process that stops', () => {
  it('writes what all used, however many they are, without waiting between the batches', async () => {
    const clock = new HeldClock();
    clock.hold();
    const node = otherNode(world.app, { clock });
    const { unwritten } = node.of(AGENT_USAGE);
    const { tenantId } = admin;
    for (let id = 1; id <= 1_001; id += 1) {
      const subject = { tenantId, kind: 'connection', id: String(10_000_000 + id) } as const;
      const usage = keepUsage(node, subject, new Map());
      add(usage, { calls: 1 }, clock.now());
      unwritten.add(usage);
    }
    writeUsageSoon(node);
    await usageWritten(node);
    expect(unwritten.size).toBe(0);
  });
});
