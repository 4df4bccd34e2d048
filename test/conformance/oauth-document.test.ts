import { once } from 'node:events';
import { createServer } from 'node:https';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { certificate } from '../support/neighbours/certificate.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { Browser } from '../support/people/browser.ts';
import { asking } from '../support/people/mcp-2026.ts';
import {
  admin,
  type AppClient,
  authorizationUrl,
  discover,
  refresh,
  refusal,
  tokensFor,
} from '../support/people/oauth-client.ts';
import { bearerCaller } from '../support/people/present-caller.ts';
import { startWorld, type World } from '../support/world/app.ts';
import { prepared } from '../support/world/prepared.ts';
import { onboard } from '../tools/agent.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const LOCAL = 'http://127.0.0.1:7777/callback';
const SECRET_METHODS = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'];

/** What the host of the documents answers: a status, a text, and headers. */
type Answer = { status?: number; headers?: Record<string, string>; text: string };

const trusted = getCACertificates();
const host = createServer(certificate, (request, response) => {
  asked.push(request.url ?? '');
  const { status = 200, headers = {}, text } = answers.get(request.url ?? '') ?? none;
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
});
const none: Answer = { status: 404, text: '{}' };
const answers = new Map<string, Answer>();
const asked: string[] = [];
let world: World;
let address: string;

beforeAll(async () => {
  setDefaultCACertificates([...trusted, certificate.cert]);
  host.listen(0, '127.0.0.1');
  await once(host, 'listening');
  const at = host.address();
  if (at === null || typeof at === 'string') throw new Error('no port');
  address = `localhost:${at.port}`;
  world = await startWorld({
    environment: {
      SVC_OAUTH_CLIENT_HOSTS: `${address},localhost:1`,
      SVC_EGRESS_ALLOW: `client:${address},client:localhost:1`,
    },
  });
});
afterAll(async () => {
  await world.stop();
  host.close();
  host.closeAllConnections();
  setDefaultCACertificates(trusted);
});
beforeEach(() => {
  asked.length = 0;
});

const server = prepared(() => discover(world.base));

let documents = 0;

/** A client at an address of its own; `change` is said instead of what a right document says. */
function published(change: object = {}, headers: Record<string, string> = {}): AppClient {
  const path = `/oauth/client-${++documents}.json`;
  const client_id = `https://${address}${path}`;
  const document = {
    client_id,
    client_name: 'Shift Assistant',
    client_uri: 'https://example.com',
    redirect_uris: [LOCAL, 'cursor://callback'],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...change,
  };
  answers.set(path, { headers, text: JSON.stringify(document) });
  return { client_id, token_endpoint_auth_method: 'none', redirectUri: LOCAL };
}

const pathOf = (client: AppClient): string => new URL(client.client_id).pathname;

/** The page that an authorization request of the client gets. */
async function pageOf(client: AppClient) {
  const { url } = await authorizationUrl(server, client);
  const { status, text } = await new Browser(world.base).get(url);
  return { status, text };
}

describe('a client whose id is the address of its document', () => {
  it('is announced, and needs no registration', async () => {
    expect(server['client_id_metadata_document_supported']).toBe(true);
    expect(server['token_endpoint_auth_methods_supported']).toContain('none');
    const client = published();
    const { access } = await tokensFor(world.base, server, client);
    expect(await bearerCaller(world.app, access, 'mcp')).toMatchObject({ name: 'admin' });
    expect(asked).toEqual([pathOf(client)]);
  });

  it('is shown with the host that describes it, and with where the answer goes', async () => {
    const client = published();
    const browser = new Browser(world.base);
    const { url } = await authorizationUrl(server, client);
    const page = await browser.submit(await browser.get(url), /\/login$/, admin);
    expect(page.text).toContain('Allow Shift Assistant?');
    expect(page.text).toMatch(new RegExp(`<dt>Application of</dt>\\s*<dd>${address}</dd>`));
    expect(page.text).toContain('127.0.0.1:7777');
    expect(page.text).toContain('It runs on this computer.');
    expect(page.text).not.toContain('chose its name itself');
  });

  it('is named by its host among proposals, which taints nothing', async () => {
    const site = await onboard(world.admin, 'document');
    const scope = 'svc:read svc:propose';
    const { access } = await tokensFor(world.base, server, published(), { scope });
    const { deviceId, pointId } = site;
    const input = { deviceId, pointId, value: 21 };
    const proposed = { name: 'writePointValue', arguments: input };
    await asking(world.base, access)('tools/call', proposed);
    const ask = asking(world.base, await bearerFor(world.admin, { scope }));
    const { result } = await ask('tools/call', { name: 'searchActions', arguments: {} });
    const answer = z.looseObject({}).parse(result?.['structuredContent']);
    expect(answer).toMatchObject({ records: [{ client: address }] });
    expect(answer['untrusted']).toBeUndefined();
  });

  it('may use any port of the loopback address, and no other address', async () => {
    const client = published();
    const other = { ...client, redirectUri: 'http://127.0.0.1:1234/callback' };
    expect(await pageOf(other)).toMatchObject({ status: 200 });
    expect(await pageOf({ ...client, redirectUri: 'https://evil.example/callback' })).toMatchObject(
      { status: 400 },
    );
    expect(await pageOf({ ...client, redirectUri: 'cursor://callback' })).toMatchObject({
      status: 400,
    });
  });

  it('is asked about again when its document has aged, by its headers', async () => {
    const short = published({}, { 'cache-control': 'public, max-age=120' });
    const usual = published();
    for (const client of [short, usual]) await pageOf(client);
    world.clock.shift(3 * 60_000);
    for (const client of [short, usual]) await pageOf(client);
    expect(asked).toEqual([pathOf(short), pathOf(usual), pathOf(short)]);
  });

  it('keeps its tokens while its host is away, and loses them with its document', async () => {
    const client = published();
    const { refresh: token } = await tokensFor(world.base, server, client);
    world.clock.shift(DAY_MS + HOUR_MS);
    answers.set(pathOf(client), { status: 503, text: '' });
    const renewed = await refresh(server, client, token);
    expect(await bearerCaller(world.app, renewed.access_token, 'mcp')).toMatchObject({
      name: 'admin',
    });
    world.clock.shift(HOUR_MS);
    answers.delete(pathOf(client));
    const gone = refresh(server, client, renewed.refresh_token ?? '');
    expect((await refusal(gone)).error).toBe('invalid_client');
  });

  it.each([
    [
      'another client_id',
      { client_id: 'https://claude.ai/oauth/client.json' },
      /another client_id/,
    ],
    ...SECRET_METHODS.map((method): [string, object, RegExp] => [
      `the method ${method}`,
      { token_endpoint_auth_method: method },
      /token_endpoint_auth_method/,
    ]),
    ['a secret', { client_secret: 'x' }, /client_secret/],
    ['no address of its own', { redirect_uris: undefined }, /redirect_uris/],
    ['addresses of apps alone', { redirect_uris: ['cursor://x'] }, /redirect_uris/],
    ['another grant', { grant_types: ['client_credentials'] }, /authorization code/],
    ['another response', { response_types: ['token'] }, /authorization code/],
  ])('is refused with %s in its document, in words', async (_, change, reason) => {
    const { status, text } = await pageOf(published(change));
    expect(status).toBe(400);
    expect(text).toMatch(reason);
  });

  it.each<[string, Answer]>([
    ['no document', { status: 404, text: '' }],
    ['a redirect', { status: 302, headers: { location: '/other.json' }, text: '' }],
    ['no JSON', { text: '<html>' }],
    ['a list', { text: '[]' }],
    ['more than 64 KB', { text: `{"client_name":"${'x'.repeat(70_000)}"}` }],
  ])('is refused where its host has %s, and is not asked again at once', async (_, answer) => {
    const client = published();
    answers.set(pathOf(client), answer);
    expect((await pageOf(client)).status).toBe(400);
    expect((await pageOf(client)).status).toBe(400);
    expect(asked).toEqual([pathOf(client)]);
  });

  it('is never fetched from other hosts, or by an address with a second spelling', async () => {
    const right = published().client_id;
    const wrong = [
      'https://evil.example/client.json',
      'https://localhost/client.json',
      `https://${address}`,
      `https://${address}/`,
      right.replace('https://', 'https://user@'),
      right.replace('localhost', 'LOCALHOST'),
      right.replace('/oauth/', '/x/../oauth/'),
      right.replace('/oauth/', '/./oauth/'),
      `${right}#part`,
      right.replace('localhost', '127.0.0.1'),
      right.replace('https:', 'http:'),
    ];
    for (const client_id of wrong)
      expect((await pageOf({ client_id, redirectUri: LOCAL })).status, client_id).toBe(400);
    expect(asked).toEqual([]);
  });

  it('is not announced for an hour after its host could not be reached: a program registers itself', async () => {
    const client = published();
    const away = 'https://localhost:1/client.json';
    const isAnnounced = async () =>
      (await discover(world.base))['client_id_metadata_document_supported'];
    expect((await pageOf({ ...client, client_id: away })).text).toContain('could not be fetched');
    expect(await isAnnounced()).toBe(false);
    world.clock.shift(HOUR_MS + 1);
    expect(await isAnnounced()).toBe(true);
    await pageOf({ ...client, client_id: away });
    await pageOf(client);
    expect(await isAnnounced()).toBe(true);
  });

  it('is fetched once for all that ask at the same time, and not more than so often', async () => {
    const client = published();
    const pages = await Promise.all(Array.from({ length: 8 }, () => pageOf(client)));
    expect(pages.map(({ status }) => status)).toEqual(pages.map(() => 200));
    expect(asked).toEqual([pathOf(client)]);
    world.clock.shift(2 * 60_000);
    asked.length = 0;
    for (let at = 0; at < 40; at++) await pageOf(published());
    expect(asked.length).toBeLessThanOrEqual(35);
  });
});
