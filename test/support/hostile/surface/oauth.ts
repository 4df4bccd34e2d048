import { z } from 'zod';

import type { Session } from '../../people/session.ts';
import { isBare, json, leaksOrFails } from '../answers.ts';
import { newAttacker } from '../attacker.ts';
import { garbage } from '../garbage.ts';
import { type Got, HostileClient, type Sent } from '../http.ts';
import { inParallel } from '../pool.ts';
import type { Random } from '../random.ts';
import type { Surface } from '../surface.ts';
import { hostileValue, jsonOf, mutatedFields } from '../values.ts';
import { described } from './rest.ts';

const WIDTH = 6;
/** Registrations are counted by the minute. */
const BATCH = 150;
const MINUTE_MS = 61_000;
const FORM = ['content-type', 'application/x-www-form-urlencoded'];
const REDIRECT = 'http://127.0.0.1:7777/callback';
const PATHS = [
  '/oauth2/authorize',
  '/oauth2/authorize/x',
  '/oauth2/interaction/x',
  '/oauth2/jwks',
  '/.well-known/oauth-authorization-server',
  '/.well-known/openid-configuration',
  '/.well-known/oauth-protected-resource',
];

type Known = { base: string; id: string; secret: string; publicId: string };

/** Token, authorization, registration, revocation, introspection, and the pages. */
export const oauth: Surface = {
  name: 'OAuth',
  async attack({ world, random, tally, inputs, until }) {
    const client = new HostileClient(world.base);
    const { session } = await newAttacker(world);
    const known = await clientsOf(session);
    for (let sent = 0; sent < inputs && performance.now() < until; sent += BATCH) {
      await inParallel(Math.min(BATCH, inputs - sent), WIDTH, async () => {
        const make = random.pick([token, token, token, other, authorize, register, page]);
        const made = make(known, random);
        const one = random.chance(0.1) ? broken(made, random) : made;
        const got = await client.send(one);
        tally.count(got.status, got.ms, wrongOauth(got, one.method), described(one));
      });
      world.clock.shift(MINUTE_MS);
    }
    client.close();
  },
};

const Registered = z.object({ client_id: z.string(), client_secret: z.string().optional() });

async function clientsOf(session: Session): Promise<Known> {
  const auth = '/api/v3/auth';
  const account = await session.data(`${auth}/service_account/add`, { serviceAccountName: 'o1' });
  const { principalId } = z
    .object({ principalId: z.string() })
    .parse(
      await session.data(`${auth}/service_account/get_by_id`, undefined, { id: String(account) }),
    );
  const own = Registered.parse(
    await session.data(`${auth}/mcp/client/register`, {
      client_name: 'o1',
      scope: 'svc:read',
      service_account_principal_id: principalId,
    }),
  );
  const answer = await fetch(`${session.base}/oauth2/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: jsonOf({ client_name: 'app', redirect_uris: [REDIRECT] }),
  });
  const { client_id: publicId } = Registered.parse(await answer.json());
  return { base: session.base, id: own.client_id, secret: own.client_secret ?? '', publicId };
}

const basic = (id: string, secret: string): string[] => [
  'authorization',
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
];

function form(random: Random, fields: object): string {
  const pairs = Object.entries(fields).map(
    ([name, value]) =>
      `${encodeURIComponent(name)}=${encodeURIComponent((typeof value === 'string' ? value : jsonOf(value)).slice(0, 20_000).toWellFormed())}`,
  );
  if (random.chance(0.1)) pairs.push(random.pick(pairs.length > 0 ? pairs : ['a=1']));
  if (random.chance(0.1))
    pairs.push(random.pick(['%zz=1', '=', '&&', 'a[b]=1', '%00=%00', 'x=%ff']));
  return pairs.join('&');
}

function token({ base, id, secret, publicId }: Known, random: Random): Sent {
  const grant = random.pick([
    { grant_type: 'client_credentials', scope: 'svc:read', resource: `${base}/mcp` },
    {
      grant_type: 'authorization_code',
      code: 'x'.repeat(43),
      redirect_uri: REDIRECT,
      code_verifier: 'v'.repeat(43),
      client_id: publicId,
    },
    { grant_type: 'refresh_token', refresh_token: 'y'.repeat(43), client_id: publicId },
    { grant_type: 'password', username: 'admin', password: 'x' },
    {
      grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
      subject_token: 'x',
      subject_token_type: 'x',
    },
    { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: 'a.b.c' },
    {
      grant_type: 'client_credentials',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: 'e30.e30.',
      client_id: id,
    },
  ]);
  const credentials = random.pick([
    basic(id, secret),
    basic(id, secret),
    basic(id, 'wrong'),
    basic(id, '%zz\0'),
    basic('', ''),
    ['authorization', 'Basic !!!'],
    ['authorization', 'DPoP x', 'dpop', 'a.b.c'],
    [],
  ]);
  return {
    method: 'POST',
    path: '/oauth2/token',
    headers: [...FORM, ...credentials],
    body: form(random, mutatedFields(random, grant, random.chance(0.9) ? 1 : 3)),
  };
}

function other({ id, secret }: Known, random: Random): Sent {
  const fields = { token: 'x'.repeat(43), token_type_hint: 'access_token' };
  return {
    method: 'POST',
    path: random.pick(['/oauth2/revoke', '/oauth2/introspect']),
    headers: [...FORM, ...(random.chance(0.7) ? basic(id, secret) : [])],
    body: form(random, mutatedFields(random, fields, 1)),
  };
}

function authorize({ base, publicId }: Known, random: Random): Sent {
  const asked = {
    response_type: 'code',
    client_id: publicId,
    redirect_uri: REDIRECT,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
    scope: 'svc:read',
    resource: `${base}/mcp`,
    state: 's',
    ...random.pick<object>([
      {},
      { prompt: 'none' },
      { request: 'a.b.c' },
      { claims: '{"a":' },
      { max_age: '-1' },
    ]),
  };
  const query = form(random, mutatedFields(random, asked, 1)).slice(0, 12_000);
  return { method: 'GET', path: `/oauth2/authorize?${query}`, headers: [] };
}

function register(_: Known, random: Random): Sent {
  const metadata = {
    client_name: 'app',
    redirect_uris: [REDIRECT],
    grant_types: ['authorization_code'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    jwks_uri: 'http://127.0.0.1:1/',
    logo_uri: 'javascript:alert(1)',
  };
  const body = random.chance(0.1) ? hostileValue(random) : mutatedFields(random, metadata, 1);
  return {
    method: 'POST',
    path: '/oauth2/register',
    headers: ['content-type', 'application/json'],
    body: jsonOf(body),
  };
}

/** The pages of a visit that never was, with cookies nobody gave. */
function page(_: Known, random: Random): Sent {
  const uid = random.pick(['x', '%00', '..%2f', 'a'.repeat(5_000), '__proto__', '%zz', "'--"]);
  const step = random.pick(['', '/login', '/consent', '/password', '/deny', '/other']);
  const path = random.chance(0.3) ? random.pick(PATHS) : `/oauth2/interaction/${uid}${step}`;
  const cookie = random.pick([
    '',
    '_interaction=x; _interaction.sig=y',
    '_session=%zz',
    '=;;=',
    'a=\u00ff',
  ]);
  const fields = { tenant: 'default', login: 'admin', password: 'x', csrf: 'x' };
  const method = random.pick(['GET', 'POST', 'POST', 'OPTIONS', 'PUT']);
  return {
    method,
    path,
    headers: [...FORM, ...(cookie ? ['cookie', cookie] : []), 'origin', 'https://evil.example'],
    ...(method === 'POST' ? { body: form(random, mutatedFields(random, fields, 1)) } : {}),
  };
}

const broken = ({ method, path, headers = [], body }: Sent, random: Random): Sent =>
  garbage({ method, path, headers, body: body?.toString() ?? '' }, random);

/** Errors of the protocol are JSON with `error`, a page, or a redirect back to the client. */
function wrongOauth(got: Got, method: string): string | null {
  const failure = leaksOrFails(got);
  // OPTIONS lists methods, in plain text.
  if (failure !== null || ['HEAD', 'OPTIONS'].includes(method) || isBare(got)) return failure;
  if (got.type.includes('html') || (got.status >= 300 && got.status < 400)) return null;
  if (got.text === '') return null;
  const answer = json(got.text);
  const isObject = typeof answer === 'object' && answer !== null;
  if (!isObject) return `neither JSON nor a page: ${got.status} ${got.text.slice(0, 200)}`;
  const isError = 'error' in answer || 'ok' in answer;
  return got.status < 400 || isError ? null : `no protocol error: ${got.text.slice(0, 200)}`;
}
