import { describe, expect, it } from 'vitest';

import { programFor, tokenFor } from '../support/people/bearer.ts';
import { request } from '../support/people/session.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';

const LIST = '/api/v3/manager/device/list';
/** So few that none comes back while a test runs. */
const LIMITS = { SVC_KEY_CALLS: '4', SVC_TENANT_CALLS: '6' };
const API = { scope: 'svc:read', roleCode: 'viewer', audience: 'api' } as const;

describe('a rate of calls', () => {
  const world = startedWorld({ environment: LIMITS });
  const other = prepared(() => world.tenant('other'));

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  const list = (headers: Record<string, string>) =>
    request(world.base, 'POST', LIST, { body: {}, headers });
  const statuses = async (count: number, headers: Record<string, string>): Promise<number[]> => {
    const seen: number[] = [];
    for (let i = 0; i < count; i += 1) seen.push((await list(headers)).status);
    return seen;
  };

  it('bounds a key, and leaves other keys, other tenants and people alone', async () => {
    const program = await programFor(world.admin, API);
    const second = bearer((await programFor(world.admin, API)).token);
    const foreign = bearer((await programFor(other, API)).token);
    expect(await statuses(4, bearer(program.token))).toEqual([200, 200, 200, 200]);
    const refused = await list(bearer(program.token));
    expect(refused).toMatchObject({
      status: 429,
      body: { ok: false, code: 'R429', data: { retryAfterSeconds: expect.any(Number) } },
    });
    expect(refused.body.message).toContain('More than 4 calls per minute with this credential');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // A new token is no new program.
    const renewed = await tokenFor(world.base, program.authorization, API);
    expect((await list(bearer(renewed))).status).toBe(429);
    expect(await statuses(2, second)).toEqual([200, 200]);
    const shared = await list(second);
    expect([shared.status, shared.body.message]).toEqual([
      429,
      expect.stringContaining('by the keys and tokens of this tenant together'),
    ]);
    expect(await statuses(2, foreign)).toEqual([200, 200]);
    expect(await statuses(8, world.admin.headers)).not.toContain(429);
    world.clock.shift(60_000);
    expect(await statuses(1, second)).toEqual([200]);
  });

  it('counts what is refused too, and answers the chat in its own form', async () => {
    world.clock.shift(60_000);
    const key = bearer((await programFor(world.admin, API)).token);
    const forbidden = () =>
      request(world.base, 'POST', '/api/v3/manager/device/add', { body: {}, headers: key });
    for (let i = 0; i < 4; i += 1) expect((await forbidden()).status).toBe(403);
    expect((await forbidden()).status).toBe(429);
    const chat = await fetch(`${world.base}/api/v3/agentic/models`, { headers: key });
    expect([chat.status, await chat.json()]).toMatchObject([
      429,
      { error: { message: expect.any(String) } },
    ]);
    expect(chat.headers.get('retry-after')).not.toBeNull();
  });
});
