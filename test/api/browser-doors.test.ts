import { request as send } from 'node:http';

import { describe, expect, it } from 'vitest';

import { ADDRESS_HEADER, signAddress } from '../../src/auth/login/client-address.ts';
import { type Center, CENTERS } from '../../src/kernel/process/layout.ts';
import { startWorld } from '../support/world/app.ts';
import { otherGateway } from '../support/world/other-node.ts';
import { started, startedWorld } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

const REGISTER = '/oauth2/register';

type Asked = { host: string; method?: string; body?: string; headers?: Record<string, string> };
type Answer = { status: number; headers: NodeJS.Dict<string | string[]>; body: string };

/** A request whose Host header is chosen, which fetch would not let us do. */
function ask(
  base: string,
  path: string,
  { host, method = 'GET', body, headers }: Asked,
): Promise<Answer> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  return new Promise((resolve, reject) => {
    const outgoing = send(
      `${base}${path}`,
      { method, headers: { ...type, ...headers, host } },
      (answer) => {
        const pieces: Buffer[] = [];
        answer.on('data', (piece: Buffer) => pieces.push(piece));
        answer.on('end', () =>
          resolve({
            status: answer.statusCode ?? 0,
            headers: answer.headers,
            body: Buffer.concat(pieces).toString(),
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

const login = JSON.stringify({ tenant: 'default', name: 'admin', password: 'Steam-41-kettle' });
const doors: [method: string, path: string, body?: string][] = [
  ['GET', '/'],
  ['GET', '/console'],
  ['GET', '/llms.txt'],
  ['GET', '/mcp/server-card'],
  ['GET', '/v3/api-docs'],
  ['GET', '/swagger-ui.html'],
  ['GET', '/.well-known/oauth-authorization-server'],
  ['GET', '/oauth2/authorize'],
  ['POST', '/oauth2/register', '{}'],
  ['POST', '/api/v3/auth/token/salt', login],
  ['POST', '/api/v3/auth/token/generate', login],
  ['POST', '/api/v3/auth/session/begin', login],
  ['GET', '/api/v3/auth/session/current'],
  ['GET', '/api/v3/data/live'],
  ['POST', '/api/v3/manager/device/list', '{}'],
  ['OPTIONS', '/api/v3/agentic/chat/completions'],
  ['POST', '/api/v3/agentic/chat/completions', '{}'],
  ['GET', '/nowhere'],
];

describe('a page that reached the platform by a name of its own', () => {
  const world = started(() => startWorld({ environment: { SVC_HOST_NAMES: 'plant.example' } }));

  it.each(doors)('finds no door: %s %s', async (method, path, body) => {
    const asked = { method, ...(body !== undefined && { body }) };
    const refused = await ask(world.base, path, { ...asked, host: 'evil.example:8000' });
    expect([refused.status, refused.headers['set-cookie']]).toEqual([421, undefined]);
    expect(refused.body).toContain('SVC_HOST_NAMES');
    for (const host of ['plant.example:8000', 'gateway:8000', new URL(world.base).host])
      expect((await ask(world.base, path, { ...asked, host })).status, host).not.toBe(421);
  });

  it.each(['/livez', '/healthz', '/readyz'])('is no matter at %s', async (path) => {
    expect((await ask(world.base, path, { host: 'evil.example' })).status).toBe(200);
  });

  it('finds no door to agents', async () => {
    const asked = { method: 'POST', body: '{}' };
    expect((await ask(world.base, '/mcp', { ...asked, host: 'evil.example' })).status).toBe(403);
    expect((await ask(world.base, '/mcp', { ...asked, host: 'plant.example' })).status).toBe(401);
  });
});

describe('the port of a center', () => {
  const split = started(startSplit);

  it.each(CENTERS)(
    'serves no such name, unless a gateway vouches for it: %s',
    async (center: Center) => {
      const path = '/session/current';
      const at = split.at[center];
      const signed = { [ADDRESS_HEADER]: signAddress(split.gateway.app, '192.0.2.7') };
      const host = 'evil.example';
      const statuses = await Promise.all(
        [{}, signed, { [ADDRESS_HEADER]: '192.0.2.7 99999999999999' }].map(async (headers) => {
          return (await ask(at, path, { host, headers })).status;
        }),
      );
      expect(statuses.map((status) => status === 421)).toEqual([true, false, true]);
    },
  );
});

describe('headers for browsers', () => {
  const world = startedWorld();

  it.each([
    ['http://plant.example', undefined],
    ['https://plant.example', 'max-age=31536000'],
  ])('with the base URL %s keep pages of other sites out', async (baseUrl, transport) => {
    const { base, close } = await otherGateway({
      ...world.app,
      config: { ...world.app.config, baseUrl },
    });
    try {
      for (const path of [
        '/',
        '/console',
        '/livez',
        '/nowhere',
        '/swagger-ui.html',
        '/mcp',
        REGISTER,
      ]) {
        const { headers } = await ask(base, path, { host: '127.0.0.1' });
        expect(headers['cross-origin-resource-policy'], path).toBe('same-origin');
        // A client in a browser opens this page in a window and waits for it.
        const opener = path === REGISTER ? undefined : 'same-origin';
        expect(headers['cross-origin-opener-policy'], path).toBe(opener);
        expect(headers['strict-transport-security'], path).toBe(transport);
      }
    } finally {
      close();
    }
  });
});
