import { beforeAll, describe, expect, it } from 'vitest';

import { systemClock } from '../../src/kernel/clock.ts';
import {
  currentSession,
  letGo,
  letIdleGo,
  makeRoom,
  MCP_SESSIONS,
} from '../../src/mcp/sessions.ts';
import { bearerFor, programFor, tokenFor } from '../support/people/bearer.ts';
import { anySession, initialize, type Spoken, speak } from '../support/people/mcp-session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const MINUTE = 60_000;
const READ = { scope: 'svc:read' };

let token: string;
let theirs: string;
const world = startedWorld();
const program = prepared(() => programFor(world.admin, READ));
beforeAll(async () => {
  token = program.token;
  theirs = await bearerFor(world.admin, READ);
});

const session = (bearer = token): Promise<Spoken> => speak(world.base, bearer);
const alive = async (one: Spoken, bearer?: string) =>
  (await one.send({ method: 'tools/list' }, bearer)).status;

/** Another token of the first program, with so much time left. */
async function endingIn(ms: number): Promise<string> {
  world.clock.shift(ms - 15 * MINUTE);
  try {
    return await tokenFor(world.base, program.authorization, READ);
  } finally {
    world.clock.shift(15 * MINUTE - ms);
  }
}

describe('a session of a client before 2026-07-28', () => {
  it('begins with initialize and answers under its id', async () => {
    const one = await session();
    expect(one.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(await alive(one)).toBe(200);
  });

  it('is not there for another principal, as if it were none', async () => {
    const one = await session();
    const foreign = await one.send({ method: 'tools/list' }, theirs);
    expect(foreign.status).toBe(404);
    expect(await foreign.json()).toMatchObject({ error: { message: 'Session not found' } });
    expect(await alive(one)).toBe(200);
  });

  it('ends with DELETE, which another principal cannot send', async () => {
    const one = await session();
    expect((await one.close(theirs)).status).toBe(404);
    expect((await one.close()).status).toBe(200);
    expect(await alive(one)).toBe(404);
  });

  it('keeps the level of its log lines, and no other hears of it', async () => {
    const one = await session();
    const set = await one.send({ method: 'logging/setLevel', params: { level: 'error' } });
    expect(await set.text()).toContain('"result":{}');
  });

  it('has one stream, the one opened last, cut when the token that opened it ends', async () => {
    const short = await endingIn(2_000);
    const one = await session(short);
    const first = await one.listen();
    expect(first.status).toBe(200);
    const second = await one.listen();
    expect(second.status).toBe(200);
    expect(await first.text()).not.toContain('data: {');
    expect(await second.text()).not.toContain('data: {');
    expect(await alive(one)).toBe(401);
  });

  it('is a new one for whoever begins with the id of one that ended', async () => {
    const ended = await session();
    expect((await ended.close()).status).toBe(200);
    const response = await fetch(`${world.base}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
        'mcp-session-id': ended.id,
      },
      body: JSON.stringify(initialize({})),
    });
    expect(response.status).toBe(200);
    expect(response.headers.get('mcp-session-id')).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get('mcp-session-id')).not.toBe(ended.id);
  });
});

describe('the number of sessions', () => {
  it('is sixteen for a principal: the one longest unused makes room', async () => {
    const bearer = await bearerFor(world.admin, READ);
    const first = await session(bearer);
    const second = await session(bearer);
    for (let more = 0; more < 14; more += 1) await session(bearer);
    expect(await alive(first)).toBe(200);
    await session(bearer);
    expect(await alive(second)).toBe(404);
    expect(await alive(first)).toBe(200);
  });

  it('is a thousand in one process: a quiet one makes room, which is made again when it is used', () => {
    const clock = new ShiftedClock();
    const sessions = MCP_SESSIONS({ clock: systemClock, engine: 'embedded' });
    for (let at = 0; at < 1_000; at += 1) {
      expect(makeRoom(sessions, clock)).toBe(true);
      const one = anySession(`${at}`, `owner ${at % 100}`, clock.now());
      sessions.set(one.id, one);
    }
    expect(makeRoom(sessions, clock)).toBe(false);
    letGo(sessions, sessions.get('7'));
    expect(makeRoom(sessions, clock)).toBe(true);
    const last = anySession('last', 'owner', clock.now());
    sessions.set(last.id, last);
    clock.shift(6 * MINUTE);
    expect(currentSession(sessions, '0', 'owner 0', clock)?.id).toBe('0');
    expect(makeRoom(sessions, clock)).toBe(true);
    expect([sessions.has('0'), sessions.has('1'), sessions.size]).toEqual([true, false, 999]);
  });

  it('falls when they are idle, and not while their stream is open', () => {
    const clock = new ShiftedClock();
    const sessions = MCP_SESSIONS({ clock: systemClock, engine: 'embedded' });
    const stream = { id: 'stream', take: async () => {}, close() {} };
    const one = { ...anySession('1', 'owner', clock.now()), stream };
    sessions.set(one.id, one);
    const two = anySession('2', 'owner', clock.now());
    sessions.set(two.id, two);
    clock.shift(31 * MINUTE);
    expect(currentSession(sessions, '2', 'owner', clock)).toBe(null);
    letIdleGo(sessions, clock);
    expect([...sessions.keys()]).toEqual(['1']);
    expect(currentSession(sessions, '1', 'another', clock)).toBe(null);
    expect(currentSession(sessions, '1', 'owner', clock)).toBe(one);
  });
});

it('without a session the older revisions are answered too', async () => {
  const response = await fetch(`${world.base}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
  });
  expect(response.status).toBe(200);
  expect(response.headers.get('mcp-session-id')).toBe(null);
});

it('a session ends after half an hour without a request', async () => {
  const one = await session();
  for (let pause = 0; pause < 3; pause += 1) {
    expect(await alive(one, await endingIn(5 * MINUTE))).toBe(200);
    world.clock.shift(29 * MINUTE);
  }
  world.clock.shift(2 * MINUTE);
  expect(await alive(one, await endingIn(5 * MINUTE))).toBe(404);
});
