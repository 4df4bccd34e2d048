import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { centers } from '../../src/gateway/mount/centers.ts';
import { requestSchema } from '../../src/kernel/input/json-schema.ts';
import { secretFields } from '../../src/kernel/input/secret.ts';
import { request } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const routes = Object.entries(centers).flatMap(([center, table]) =>
  table.map((route) => ({ ...route, place: `/api/v3/${center}${route.path}` })),
);
const cases = routes.flatMap(({ place, input, needs, scope }) =>
  secretFields(input).map((field) => ({ place, field, needs, scope })),
);
const snake = (name: string): string => name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`);

describe('a secret in an address', () => {
  const world = startedWorld();

  it.each(cases)('is refused by name: $field of $place', async ({ place, field }) => {
    for (const name of new Set([field, snake(field)])) {
      const { status, body } = await request(world.base, 'POST', place, {
        body: {},
        query: { [name]: 'Steam-41-kettle' },
        headers: world.admin.headers,
      });
      expect({ status, message: body.message }).toEqual({
        status: 400,
        message: `${name}: must be in the body: URLs end up in logs`,
      });
    }
  });

  it('is refused after the caller: 401 without a credential, 403 without the right', async () => {
    const key = await world.admin.data('/api/v3/auth/key/add', { keyName: 'reader' });
    const bearer = `Bearer ${z.object({ key: z.string() }).parse(key).key}`;
    const closed = cases.filter(({ needs }) => needs !== 'public');
    expect(closed.length).toBeGreaterThan(10);
    for (const { place, field, scope } of closed) {
      const ask = (headers: Record<string, string>) =>
        request(world.base, 'POST', place, { body: {}, query: { [field]: 'Steam-41' }, headers });
      expect((await ask({})).status, place).toBe(401);
      if (scope === 'interactive')
        expect((await ask({ authorization: bearer })).status, place).toBe(403);
    }
  });

  it('lets nobody in, not even with the right password', async () => {
    const body = { tenant: 'default', name: 'admin', salt: 'a-salt' };
    const query = { password: world.environment['SVC_ADMIN_PASSWORD'] ?? '' };
    const ask = (given: object) =>
      request(world.base, 'POST', '/api/v3/auth/token/generate', given);
    expect((await ask({ body: { ...body, ...query } })).status).toBe(200);
    expect((await ask({ body, query })).status).toBe(400);
    expect((await ask({ body: { ...body, ...query }, query })).status).toBe(400);
  });
});

describe('the marks of secrets', () => {
  it('are on every field that is named as one', () => {
    const isNamed = /password$|secret$|token$|^apiKey$|^credential$|^(?:psk|privateKey)$/i;
    const unmarked = routes.flatMap(({ place, input }) => {
      const marked = secretFields(input);
      return Object.keys(requestSchema(input)['properties'] ?? {})
        .filter((name) => isNamed.test(name) && !marked.includes(name))
        .map((name) => `${place} ${name}`);
    });
    expect(unmarked).toEqual([]);
    expect(cases.length).toBeGreaterThan(18);
  });

  it('are on no field of a GET, which has nothing but its address', () => {
    expect(
      routes.filter(({ method, input }) => method === 'get' && secretFields(input).length > 0),
    ).toEqual([]);
  });
});
