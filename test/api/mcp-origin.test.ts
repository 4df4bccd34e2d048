import { request } from 'node:http';

import { beforeAll, describe, expect, it } from 'vitest';

import { bearerFor } from '../support/people/bearer.ts';
import { startedWorld } from '../support/world/prepared.ts';

const PAGE = 'https://inspector.example';
const JSON_RPC = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};
const LIST = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

let token: string;
const world = startedWorld({ environment: { SVC_MCP_ORIGINS: PAGE } });
beforeAll(async () => {
  token = await bearerFor(world.admin, { scope: 'svc:read' });
});

const send = (body: string, headers: Record<string, string>) =>
  fetch(`${world.base}/mcp`, {
    method: 'POST',
    headers: { ...JSON_RPC, authorization: `Bearer ${token}`, ...headers },
    body,
  });

describe('403', () => {
  it.each([
    'https://evil.example',
    'null',
    'http://127.0.0.1.evil.example',
    'not a url',
    'http://inspector.example',
    `${PAGE}.evil.example`,
    `${PAGE}:8443`,
  ])('for the origin %s', async (origin) => {
    expect((await send(LIST, { origin })).status).toBe(403);
  });

  it('not for our own origin, which gets the headers a web page needs', async () => {
    const response = await send(LIST, { origin: world.base });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(world.base);
  });

  const preflight = (origin: string) =>
    fetch(`${world.base}/mcp`, {
      method: 'OPTIONS',
      headers: { origin, 'access-control-request-headers': 'authorization, mcp-method' },
    });

  it('not for an origin that the operator named, with a token alone', async () => {
    const response = await send(LIST, { origin: PAGE });
    expect(response.status).toBe(200);
    expect(response.headers.get('access-control-allow-origin')).toBe(PAGE);
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
    expect((await preflight(PAGE)).status).toBe(204);
  });

  it('answers the preflight of our own origin without a token, and of no other', async () => {
    const own = await preflight(world.base);
    expect(own.status).toBe(204);
    expect(own.headers.get('access-control-allow-headers')).toBe('authorization, mcp-method');
    expect((await preflight('https://evil.example')).status).toBe(403);
  });

  it('for a host name that is not ours', async () => {
    expect(await statusForHost(world.base, 'evil.example')).toBe(403);
    expect(await statusForHost(world.base, new URL(world.base).host)).toBe(200);
  });
});

/** The status of a POST whose Host header is `host`, which fetch would not let us set. */
function statusForHost(base: string, host: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const outgoing = request(
      `${base}/mcp`,
      { method: 'POST', headers: { ...JSON_RPC, authorization: `Bearer ${token}`, host } },
      (response) => {
        response.resume();
        resolve(response.statusCode);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(LIST);
  });
}
