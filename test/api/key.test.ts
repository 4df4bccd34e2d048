import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { acrossTenants } from '../../src/db/tenant.ts';
import { addPerson, worker } from '../support/people/accounts.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import { request, type Session } from '../support/people/session.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { otherNode } from '../support/world/other-node.ts';
import { startedWorld } from '../support/world/prepared.ts';

const KEY = '/api/v3/auth/key';
const HEALTH = '/api/v3/data/dashboard/system/health';
const DAY_MS = 86_400_000;
const refused = { status: 401, message: 'No available authentication' };

const Made = z.object({
  id: z.string(),
  key: z.string().regex(/^svc_(api|mcp)_[\w-]{8}_[\w-]{43}$/),
  keyPrefix: z.string(),
  audience: z.string(),
  scopes: z.array(z.string()),
  expireTime: z.string(),
});
const Listed = z.array(z.looseObject({ id: z.string(), lastUsedTime: z.string().nullable() }));

const world = startedWorld({ environment: { SVC_DEMO: 'on' } });

const make = async (session: Session, given: Record<string, unknown> = {}) =>
  Made.parse(await session.data(`${KEY}/add`, { keyName: fresh('key'), ...given }));
const headersOf = (key: string) => ({ authorization: `Bearer ${key}` });
const use = (key: string, app = world.app) => bearerCaller(app, key, 'api');
const read = async (key: string) =>
  (await request(world.base, 'GET', HEALTH, { headers: headersOf(key) })).status;
const someone = (codes: string[] = []) =>
  worker(world.admin, ['svc-center-data:dashboard:get', ...codes]);

describe('a key', () => {
  it('acts for the person who made it, with the scopes she left it', async () => {
    const { session, principalId, name } = await someone();
    const { key, audience, scopes } = await make(session);
    expect([audience, scopes]).toEqual([`${world.base}/api/v3`, ['svc:read']]);
    expect(await use(key)).toMatchObject({ principalId, name, via: 'key', scopes: ['svc:read'] });
    expect(await read(key)).toBe(200);
  });

  it('chats as the API key of an OpenAI client', async () => {
    const { key } = await make(world.admin, { scopes: ['svc:chat'] });
    const baseURL = `${world.base}/api/v3/agentic`;
    const client = new OpenAI({ baseURL, apiKey: key, maxRetries: 0 });
    expect((await client.models.list()).data.length).toBeGreaterThan(0);
    const answer = await client.chat.completions.create({
      model: 'scripted',
      messages: [{ role: 'user', content: 'what is the temperature of dev-1?' }],
    });
    expect(answer.choices[0]?.message.content).toMatch(/\w/);
  });

  it('works at its audience alone', async () => {
    const { key } = await make(world.admin, { audience: 'mcp' });
    expect(await read(key)).toBe(401);
    const elsewhere = (named: string, asked: string) => ({
      status: 401,
      message: `This token is for ${world.base}${named}; here one for ${world.base}${asked} is needed`,
    });
    await expect(use(key)).rejects.toMatchObject(elsewhere('/mcp', '/api/v3'));
    const caller = await bearerCaller(world.app, key, 'mcp');
    expect(caller.scopes).toEqual(['svc:read']);
    const { key: api } = await make(world.admin);
    await expect(bearerCaller(world.app, api, 'mcp')).rejects.toMatchObject(
      elsewhere('/api/v3', '/mcp'),
    );
  });

  it('confirms and rejects nothing, and makes no other key, whatever its scopes', async () => {
    const scopes = ['svc:read', 'svc:read-device', 'svc:propose', 'svc:chat'];
    const { key, id } = await make(world.admin, { scopes });
    for (const [path, body] of [
      ['agentic/action/confirm', { action_id: crypto.randomUUID() }],
      ['agentic/action/reject', { action_id: crypto.randomUUID() }],
      ['auth/key/add', { keyName: 'another' }],
      ['auth/key/list', {}],
      ['auth/key/revoke', { id }],
      ['auth/token/cancel', {}],
    ] as const) {
      const headers = headersOf(key);
      const answer = await request(world.base, 'POST', `/api/v3/${path}`, { headers, body });
      expect([answer.status, answer.body.message], path).toEqual([
        403,
        'This needs an interactive login',
      ]);
    }
  });

  it('is shown once: the database, the list and the audit hold no key', async () => {
    const { session } = await someone();
    const { key, keyPrefix, id } = await make(session, { keyName: 'for my editor' });
    const secret = key.slice(keyPrefix.length + 1);
    const listed = Listed.parse(await session.data(`${KEY}/list`, {}));
    expect(listed).toMatchObject([{ id, keyName: 'for my editor', keyPrefix, audience: 'api' }]);
    const audited = await world.admin.data('/api/v3/auth/identity_audit/list', {
      resourceType: 'KEY',
      resourceId: id,
    });
    expect(audited).toMatchObject([{ action: 'CREATE', resourceName: 'for my editor' }]);
    const stored = await acrossTenants(world.app.db, 'doctor', (q) =>
      q.selectFrom('svc_key').selectAll().execute(),
    );
    for (const seen of [listed, audited, stored])
      expect(JSON.stringify(seen)).not.toContain(secret);
    expect(JSON.stringify(listed)).not.toContain('keyDigest');
  });

  it('has no scope its owner could not use, and follows what she may do', async () => {
    const { session } = await someone();
    for (const scope of ['svc:read-device', 'svc:propose', 'svc:chat']) {
      const body = { keyName: fresh('key'), scopes: [scope] };
      const answer = await session.post(`${KEY}/add`, body);
      expect([answer.status, answer.body.message]).toEqual([
        403,
        `The owner of the key has no right that ${scope} would open`,
      ]);
    }
    const { key } = await make(session);
    const forbidden = await request(world.base, 'POST', '/api/v3/manager/device/list', {
      headers: headersOf(key),
      body: {},
    });
    expect([forbidden.status, forbidden.body.message]).toEqual([403, 'Permission denied']);
  });

  it('ends when its owner said, a year at most', async () => {
    const own = await world.tenant('expiry');
    const long = await own.post(`${KEY}/add`, { keyName: 'for ever', expireDays: 367 });
    expect(long.status).toBe(400);
    const { key, expireTime } = await make(own, { expireDays: 2 });
    expect(new Date(expireTime).getTime() - world.clock.now()).toBeLessThanOrEqual(2 * DAY_MS);
    world.clock.shift(2 * DAY_MS - 60_000);
    expect((await use(key)).via).toBe('key');
    world.clock.shift(60_001);
    await expect(use(key)).rejects.toMatchObject(refused);
    world.clock.shift(-2 * DAY_MS);
  });

  it('says when it was last used, to the minute', async () => {
    const { session } = await someone();
    const { key } = await make(session);
    const last = async () =>
      Listed.parse(await session.data(`${KEY}/list`, {}))[0]?.lastUsedTime ?? null;
    expect(await last()).toBeNull();
    await use(key);
    const first = await last();
    await use(key);
    expect([first === null, await last()]).toEqual([false, first]);
  });

  it('is revoked at once, in another process too, where it was used just now', async () => {
    const { session } = await someone();
    const { key, id } = await make(session);
    const elsewhere = otherNode(world.app);
    await use(key, elsewhere);
    await use(key);
    await session.data(`${KEY}/revoke`, { id });
    await expect(use(key, elsewhere)).rejects.toMatchObject(refused);
    expect(await read(key)).toBe(401);
    expect((await session.post(`${KEY}/revoke`, { id })).status).toBe(404);
  });

  it('survives a new password, also one that an administrator sets', async () => {
    const { session, credential: id } = await someone();
    const { key } = await make(session);
    const given = { id, password: 'set by an admin 5' };
    await world.admin.data('/api/v3/auth/local_credential/reset_password', given);
    expect((await session.post(`${KEY}/list`, {})).status).toBe(401);
    expect(await read(key)).toBe(200);
  });

  it('survives a logout, and ends with what its owner is', async () => {
    const { session, principalId } = await someone();
    const { key } = await make(session);
    await session.data('/api/v3/auth/token/cancel', {});
    expect(await read(key)).toBe(200);
    await world.admin.data('/api/v3/auth/principal/disable', { id: principalId });
    expect(await read(key)).toBe(401);
    await world.admin.data('/api/v3/auth/principal/enable', { id: principalId });
    expect(await read(key)).toBe(200);
  });

  it('of a colleague is none to see or end, but for who may change people', async () => {
    const { session: mine } = await someone();
    const { session: other } = await someone();
    const { id, key } = await make(mine);
    expect((await other.post(`${KEY}/revoke`, { id })).status).toBe(404);
    expect((await other.post(`${KEY}/list`, { of: 'tenant' })).status).toBe(403);
    expect(await other.data(`${KEY}/list`, {})).toEqual([]);
    const all = Listed.parse(await world.admin.data(`${KEY}/list`, { of: 'tenant' }));
    expect(all.map((one) => one.id)).toContain(id);
    await world.admin.data(`${KEY}/revoke`, { id });
    expect(await read(key)).toBe(401);
  });

  it('of who may do more is not ended by who may change people', async () => {
    const { session } = await someone(['svc-center-auth:principal:update']);
    const { id, key } = await make(world.admin);
    expect((await session.post(`${KEY}/revoke`, { id })).status).toBe(403);
    expect(await read(key)).toBe(200);
    const { session: other } = await someone();
    const { id: theirs } = await make(other);
    expect((await session.post(`${KEY}/revoke`, { id: theirs })).status).toBe(200);
  });

  it('is one of twenty at most, also when they are asked for at once', async () => {
    const { session } = await someone();
    const answers = await Promise.all(
      Array.from({ length: 24 }, (_, n) => session.post(`${KEY}/add`, { keyName: `key ${n}` })),
    );
    const statuses = answers.map(({ status }) => status).toSorted((a, b) => a - b);
    expect(statuses).toEqual([...Array(20).fill(200), ...Array(4).fill(409)]);
  });
});

describe('a key for a service account', () => {
  const account = async (session: Session, roleCode = 'agent') => {
    const id = String(
      await session.data('/api/v3/auth/service_account/add', {
        serviceAccountName: fresh('agent'),
        roleCode,
      }),
    );
    const found = await session.data('/api/v3/auth/service_account/get_by_id', undefined, { id });
    return { id, ...z.object({ principalId: z.string() }).parse(found) };
  };

  it('acts for the account and ends with it', async () => {
    const { id, principalId } = await account(world.admin);
    const serviceAccountPrincipalId = principalId;
    const { key } = await make(world.admin, { serviceAccountPrincipalId });
    expect(await use(key)).toMatchObject({ principalId, principalType: 'SERVICE_ACCOUNT' });
    await world.admin.data('/api/v3/auth/service_account/disable', {}, { id });
    await expect(use(key)).rejects.toMatchObject(refused);
    await world.admin.data('/api/v3/auth/service_account/enable', {}, { id });
    expect((await use(key)).via).toBe('key');
    await world.admin.data('/api/v3/auth/service_account/delete', {}, { id });
    await expect(use(key)).rejects.toMatchObject(refused);
  });

  it('is made by who may change accounts and holds all the account does', async () => {
    const strong = await account(world.admin, 'admin');
    const { session } = await someone(['svc-center-auth:service_account:update']);
    const { session: plain } = await someone();
    const body = { keyName: 'borrowed', serviceAccountPrincipalId: strong.principalId };
    expect((await session.post(`${KEY}/add`, body)).status).toBe(403);
    expect((await plain.post(`${KEY}/add`, body)).status).toBe(403);
    const person = await addPerson(world.admin);
    const other = { keyName: 'other', serviceAccountPrincipalId: person.principalId };
    expect((await world.admin.post(`${KEY}/add`, other)).status).toBe(404);
  });
});
