import { describe, expect, it, onTestFinished } from 'vitest';

import { acrossTenants } from '../../src/db/tenant.ts';
import { postFrom } from '../support/people/from-address.ts';
import { startWorld } from '../support/world/app.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { started, startedWorld } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

const PASSWORD = testEnvironment.SVC_ADMIN_PASSWORD;
const ATTACKER = '127.0.0.66';
const PERSON = '127.0.0.7';
const TOKEN = '/api/v3/auth/token';

type From = (address: string, path: string, body: object) => Promise<number>;

const right = { tenant: 'default', name: 'admin', salt: 'a-salt', password: PASSWORD };
const client = { redirect_uris: ['http://127.0.0.1:9/callback'] };

/** What one address can do wrong, and what others then must still be able to do. */
async function besiege(from: From): Promise<void> {
  const attack = (path: string, count: number, body: (n: number) => object): Promise<number[]> =>
    Promise.all(Array.from({ length: count }, (_, n) => from(ATTACKER, path, body(n))));
  const statuses = [
    ...(await attack(`${TOKEN}/generate`, 40, () => ({ ...right, password: 'wrong' }))),
    ...(await attack(`${TOKEN}/generate`, 100, (n) => ({ ...right, name: `nobody-${n}` }))),
    ...(await attack(`${TOKEN}/salt`, 200, (n) => ({ tenant: `nowhere-${n}`, name: 'admin' }))),
    ...(await attack('/oauth2/register', 100, () => client)),
  ];
  expect(new Set(statuses)).toEqual(new Set([401, 429, 201]));
  expect(await from(ATTACKER, `${TOKEN}/generate`, right)).toBe(429);
  expect(await from(ATTACKER, `${TOKEN}/salt`, right)).toBe(429);
  expect(await from(ATTACKER, '/oauth2/register', client)).toBe(429);
  expect(await from(PERSON, `${TOKEN}/salt`, right)).toBe(200);
  expect(await from(PERSON, `${TOKEN}/generate`, right)).toBe(200);
  expect(await from(PERSON, '/oauth2/register', client)).toBe(201);
}

describe('what one address does wrong', () => {
  const world = startedWorld();

  const at =
    (base: string, headers: (address: string) => Record<string, string> = () => ({})): From =>
    async (address, path, body) =>
      (await postFrom(base, address, path, body, headers(address))).status;

  it('keeps no other out of logins, salts and registrations', async () => {
    await besiege(at(world.base));
  });

  it('does not keep out who logged in from there before', async () => {
    const from = at(world.base);
    const there = '127.0.0.8';
    const session = await world.tenant('regular');
    const mine = { ...right, tenant: 'regular', name: session.headers['x-auth-login'] };
    expect(await from(there, `${TOKEN}/generate`, mine)).toBe(200);
    for (let n = 0; n < 80; n += 1) {
      await from(there, `${TOKEN}/generate`, { ...mine, name: `nobody-${n}` });
      await from(there, `${TOKEN}/salt`, { ...mine, tenant: `nowhere-${n}` });
    }
    expect(await from(there, `${TOKEN}/generate`, right)).toBe(429);
    expect(await from(there, `${TOKEN}/salt`, right)).toBe(429);
    expect(await from(there, `${TOKEN}/salt`, mine)).toBe(200);
    expect(await from(there, `${TOKEN}/generate`, mine)).toBe(200);
  });

  it('from 200 addresses at once keeps out neither who logged in before nor a first registration', async () => {
    const fresh = await startWorld();
    onTestFinished(() => fresh.stop());
    const from = at(fresh.base);
    expect(await from(PERSON, `${TOKEN}/generate`, right)).toBe(200);
    const many = Array.from({ length: 200 }, (_, n) => `127.0.3.${n + 1}`);
    const wrong = { ...right, name: 'nobody' };
    const flood = Promise.all(many.map((address) => from(address, `${TOKEN}/generate`, wrong)));
    const logins = [];
    for (let n = 0; n < 5; n += 1) logins.push(await from(PERSON, `${TOKEN}/generate`, right));
    expect(logins).toEqual([200, 200, 200, 200, 200]);
    expect(await flood).toContain(429);
    const registrations = await Promise.all(
      many
        .slice(0, 12)
        .flatMap((address) =>
          Array.from({ length: 60 }, () => from(address, '/oauth2/register', client)),
        ),
    );
    expect(registrations).toContain(429);
    expect(await from(PERSON, '/oauth2/register', client)).toBe(201);
  });

  it('cannot be put on another by headers', async () => {
    const forged = (address: string): Record<string, string> =>
      address === ATTACKER
        ? { 'x-forwarded-for': PERSON, 'x-auth-address': `${PERSON} 99999999999999` }
        : {};
    const fresh = await startWorld();
    onTestFinished(() => fresh.stop());
    await besiege(at(fresh.base, forged));
  });

  it('is told from others behind a proxy that is trusted', async () => {
    const fresh = await startWorld({
      environment: { SVC_TRUSTED_PROXIES: '127.0.0.1, 10.0.0.0/8' },
    });
    onTestFinished(() => fresh.stop());
    const proxied: From = async (address, path, body) => {
      const headers = { 'x-forwarded-for': `198.51.100.1, ${address}, 10.1.2.3` };
      return (await postFrom(fresh.base, '127.0.0.1', path, body, headers)).status;
    };
    await besiege(proxied);
    // Only the proxy is believed.
    const forged = { 'x-forwarded-for': PERSON };
    const direct = await postFrom(fresh.base, ATTACKER, `${TOKEN}/generate`, right, forged);
    expect(direct.status).toBe(429);
  });

  it('is on record with the address', async () => {
    await postFrom(world.base, '127.0.0.9', `${TOKEN}/generate`, right);
    const rows = await acrossTenants(world.app.db, 'doctor', (q) =>
      q
        .selectFrom('svc_identity_audit_log')
        .select('detailExt')
        .where('action', '=', 'LOGIN')
        .execute(),
    );
    expect(JSON.stringify(rows)).toContain('{"source":"127.0.0.9"}');
  });
});

describe('an auth center that runs elsewhere', () => {
  const split = started(startSplit);

  it('tells addresses as the gateway saw them', async () => {
    await besiege(async (address, path, body) => {
      const headers = address === ATTACKER ? { 'x-auth-address': `${PERSON} 99999999999999` } : {};
      return (await postFrom(split.base, address, path, body, headers)).status;
    });
  });

  it('believes no address that the gateway did not sign', async () => {
    const headers = {
      'x-auth-address': `127.0.0.77 ${split.clock.now() + 50_000} ${'0'.repeat(64)}`,
    };
    for (let n = 0; n < 6; n += 1)
      await postFrom(
        split.at.auth,
        '127.0.0.78',
        '/token/generate',
        { ...right, name: 'forged', password: 'wrong' },
        headers,
      );
    const direct = (address: string) =>
      postFrom(split.at.auth, address, '/token/generate', { ...right, name: 'forged' });
    expect((await direct('127.0.0.78')).status).toBe(429);
    expect((await direct('127.0.0.77')).status).toBe(401);
  });
});
