import { createHmac } from 'node:crypto';

import { bearerFor } from '../../people/bearer.ts';
import { wrongRest } from '../answers.ts';
import { newAttacker } from '../attacker.ts';
import { garbage } from '../garbage.ts';
import { flat, HostileClient, type Sent } from '../http.ts';
import { inParallel } from '../pool.ts';
import type { Random } from '../random.ts';
import type { Site, Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutatedFields, mutatedText, reversed } from '../values.ts';
import { described } from './rest.ts';

const WIDTH = 4;
/** The throttle lets a minute's worth of failures through, then time moves on. */
const BATCH = 100;
const MINUTE_MS = 61_000;
const TOKEN = '/api/v3/auth/token';
const GUARDED = '/api/v3/manager/device/list';

type Login = { tenant: string; name: string; salt: string; token: string; bearer: string };
/** A request, and whether being let in by it would be a break-in. */
type Attempt = { sent: Sent; mustFail: boolean };

/** Login bodies, the three headers, forged tokens and forged principals. */
export const login: Surface = {
  name: 'login',
  async attack(site) {
    const { world, random, tally, inputs, until } = site;
    const client = new HostileClient(world.base);
    const known = await loginOf(site);
    for (let sent = 0; sent < inputs && performance.now() < until; sent += BATCH) {
      await inParallel(Math.min(BATCH, inputs - sent), WIDTH, async () => {
        const { sent: one, mustFail } = random.pick([body, headers, forged, spoofed])(
          known,
          random,
        );
        const got = await client.send(one);
        const isIn = mustFail && got.status < 400 && got.status !== 0;
        const wrong = isIn ? `let in (${got.status})` : wrongRest(got, one.method);
        const shown = `${described(one)} ${jsonOf(one.headers).slice(0, 300)}`;
        tally.count(got.status, got.ms, wrong, shown);
      });
      world.clock.shift(MINUTE_MS);
    }
    client.close();
  },
};

async function loginOf({ world }: Site): Promise<Login> {
  const { session } = await newAttacker(world);
  const { salt, token } = JSON.parse(session.headers['x-auth-token'] ?? '{}');
  const name = session.headers['x-auth-login'] ?? '';
  const bearer = await bearerFor(session, {
    scope: 'svc:read svc:read-device svc:propose',
    audience: 'api',
  });
  return { tenant: session.tenant, name, salt: String(salt), token: String(token), bearer };
}

/** The three public endpoints. */
function body({ tenant, name, salt }: Login, random: Random): Attempt {
  const good = {
    tenant,
    name: `${name}-${random.upTo(50)}`,
    salt,
    password: 'wrong',
    newPassword: 'also wrong 1',
  };
  const target = {
    method: 'POST',
    path: `${TOKEN}/${random.pick(['salt', 'generate', 'change_password'])}`,
    headers: [],
    body: random.chance(0.1) ? hostileValue(random) : mutatedFields(random, good, 1),
  };
  const plain = {
    ...target,
    headers: ['content-type', 'application/json'],
    body: jsonOf(target.body),
  };
  return { sent: random.chance(0.2) ? garbage(target, random) : plain, mustFail: false };
}

const guarded = (more: readonly string[], mustFail: boolean): Attempt => ({
  sent: {
    method: 'POST',
    path: GUARDED,
    headers: ['content-type', 'application/json', ...more],
    body: '{}',
  },
  mustFail,
});

const three = (tenant: string, name: string, salt: unknown, token: unknown): string[] =>
  flat({
    'x-auth-tenant': tenant,
    'x-auth-login': name,
    'x-auth-token': jsonOf({ salt, token }).slice(0, 12_000),
  });

/** Header text that Node's client agrees to send. */
const sendable = (text: string): string =>
  text.replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '?').slice(0, 8_000);

/** The three headers, nearly right. Which spellings of a login are the same is not ours to say. */
function headers({ tenant, name, salt, token }: Login, random: Random): Attempt {
  const all = three(tenant, name, salt, token);
  const at = random.pick([1, 3, 5]);
  const hostile = hostileValue(random);
  all[at] = sendable(
    random.chance(0.5)
      ? mutatedText(random, all[at] ?? '')
      : typeof hostile === 'string'
        ? hostile
        : jsonOf(hostile),
  );
  return guarded(random.chance(0.2) ? all.toSpliced(at - 1, 2) : all, false);
}

const encode = (value: unknown): string => Buffer.from(jsonOf(value)).toString('base64url');
const signed = (text: string, key: string): string =>
  createHmac('sha256', key).update(text).digest('base64url');
const JWK = { kty: 'oct', k: 'c2VjcmV0', kid: '1' };

/** Tokens of nobody's making but the attacker's. */
function forged({ tenant, name, salt, token, bearer }: Login, random: Random): Attempt {
  const [header = '', payload = '', signature = ''] = token.split('.');
  const claims: Record<string, unknown> = JSON.parse(Buffer.from(payload, 'base64url').toString());
  const type = { typ: 'svc-login+jwt' };
  const other = random.pick<Record<string, unknown>>([
    { alg: 'none' },
    { alg: 'None' },
    { alg: 'nOnE', ...type },
    { alg: 'RS256', ...type },
    { alg: 'HS512', ...type },
    { alg: 'HS256', ...type, jwk: JWK },
    { alg: 'HS256', ...type, jku: 'http://127.0.0.1:1/jwks' },
    { alg: 'HS256', ...type, x5u: 'http://127.0.0.1:1/' },
    { alg: 'HS256', ...type, kid: '../../../../dev/null' },
    { alg: 'HS256', ...type, kid: "' union select 'secret" },
    { alg: 'HS256', ...type, crit: ['exp'] },
    { ...type, alg: 'HS256' },
  ]);
  const edited = {
    ...claims,
    ...random.pick<Record<string, unknown>>([
      { tenant_id: '1' },
      { principal_id: '1' },
      { exp: 'never' },
      { exp: 9e15 },
      { exp: undefined },
      { iat: 1, nbf: 9e15 },
      { aud: ['svc-login', 'svc-center'] },
      { tenant_id: ['1'] },
    ]),
  };
  const key = random.pick(['', 'secret', salt, tenant, jsonOf(JWK), 'svc-default-hmac-secret']);
  const text = `${encode(other)}.${encode(edited)}`;
  const made = random.pick<string>([
    `${encode(other)}.${payload}.${signature}`,
    `${encode(other)}.${payload}.`,
    `${text}.${signed(text, key)}`,
    `${header}.${encode(edited)}.${signature}`,
    `${header}.${payload}.`,
    `${header}.${payload}`,
    `${header}.${payload}.${signed(`${header}.${payload}`, key)}`,
    `${header}.${payload}.${signature}${random.pick(['A', '=', '!', '.x', ' ', '%00'])}`,
    `${header}.${payload}.${signature.slice(0, -1)}`,
    `${header}.${payload}.${Buffer.from(signature, 'base64url').toString('hex')}`,
    `${header}.${payload}.${reversed(signature)}`,
    bearer,
    '..',
    '.'.repeat(2_000),
    'x'.repeat(5_000),
  ]);
  if (random.chance(0.15)) {
    const otherSalt = random.pick<unknown>([
      '',
      ' ',
      `${salt} `,
      salt.slice(1),
      'x'.repeat(9_000),
      1,
      null,
    ]);
    return guarded(three(tenant, name, otherSalt, token), true);
  }
  if (random.chance(0.1)) return guarded(['authorization', `Bearer ${token}`], true);
  return guarded(three(tenant, name, salt, made), true);
}

/** Nobody who says he is somebody. */
function spoofed({ tenant, name }: Login, random: Random): Attempt {
  const principal = jsonOf({
    principalId: '1',
    principalType: 'USER',
    displayName: 'admin',
    principalName: 'admin',
    tenantId: '1',
    via: 'login',
    iat: 1,
    exp: 9e15,
  });
  const named = random.pick([
    'X-Auth-Principal',
    'x-auth-principal',
    'X_Auth_Principal',
    'X-AUTH-PRINCIPAL',
  ]);
  const sign = random.pick([
    [],
    ['x-auth-sign', signed(principal, 'svc-default-hmac-secret')],
    ['x-auth-sign', createHmac('sha256', '').update(principal).digest('hex')],
    ['x-auth-sign', 'ab'],
    ['x-auth-sign', 'z'.repeat(64)],
    ['x-auth-sign', 'a'.repeat(9_000)],
    ['x-auth-sign', 'a'.repeat(64), 'x-auth-sign', 'b'.repeat(64)],
    ['connection', 'x-auth-principal, x-auth-sign'],
    ['x-forwarded-for', '127.0.0.1', 'x-real-ip', '127.0.0.1'],
  ]);
  const alone = random.pick([
    [],
    ['x-auth-tenant', tenant],
    ['x-auth-login', name],
    ['x-auth-tenant', '1', 'x-auth-login', 'admin', 'x-auth-token', '{}'],
    ['authorization', 'Basic YWRtaW46YWRtaW4='],
  ]);
  const value = sendable(random.chance(0.3) ? mutatedText(random, principal) : principal);
  const twice = random.chance(0.2) ? [named, value] : [];
  return guarded([named, value, ...twice, ...sign, ...alone], true);
}
