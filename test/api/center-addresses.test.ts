import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import { freePort } from '../support/neighbours/free-port.ts';
import { eventually } from '../support/world/eventually.ts';
import { prepared } from '../support/world/prepared.ts';
import { startSplit } from '../support/world/split.ts';

/** A process that takes requests of a center and ends each connection without an answer. */
async function startBroken() {
  const requests: (string | undefined)[] = [];
  const server = createServer((req: IncomingMessage) => {
    if (!req.url?.endsWith('z')) requests.push(req.method);
    req.socket.destroy();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`;
  return { url, requests, close: () => server.close() };
}

describe('a gateway with several addresses of a center', () => {
  const split = prepared(startSplit);
  afterAll(() => split.stop());
  let dead: string;
  beforeAll(async () => {
    dead = `http://127.0.0.1:${await freePort()}`;
  });

  const gatewayTo = async (manager: string) => {
    const own = { SVC_ROLES: 'gateway', SVC_PORT: '0', SVC_MANAGER_URL: manager };
    const { ports } = await split.start(own);
    return `http://127.0.0.1:${ports.gateway}`;
  };
  const call = (base: string, method: 'GET' | 'POST') => {
    const path = method === 'GET' ? 'profile/get_by_id?id=999999' : 'profile/list';
    const { headers } = split.admin;
    return fetch(`${base}/api/v3/manager/${path}`, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      ...(method === 'POST' && { body: '{}' }),
    });
  };
  const ready = async (base: string) => (await fetch(`${base}/readyz`)).json();

  it('goes on with the next when one is not there, and is ready with one of them', async () => {
    const base = await gatewayTo(`${dead},${split.at.manager}`);
    expect((await call(base, 'POST')).status).toBe(200);
    expect((await call(base, 'GET')).status).toBe(404);
    expect(await ready(base)).toMatchObject({ status: 'ready', waitingFor: [] });
  });

  it('asks each once, and says 503 and which center is missing when none is there', async () => {
    const base = await gatewayTo(`${dead},http://127.0.0.1:${await freePort()}`);
    expect((await call(base, 'POST')).status).toBe(503);
    expect((await call(base, 'GET')).status).toBe(503);
    expect(await ready(base)).toMatchObject({
      status: 'not ready',
      waitingFor: ['manager center'],
    });
  });

  it('repeats nothing that may have been done, only what reads', async () => {
    const broken = await startBroken();
    const base = await gatewayTo(`${broken.url},${split.at.manager}`);
    expect((await call(base, 'POST')).status).toBe(503);
    expect(broken.requests).toEqual(['POST']);
    // The next call goes to the other one.
    expect((await call(base, 'POST')).status).toBe(200);
    const reading = await gatewayTo(`${broken.url},${split.at.manager}`);
    expect((await call(reading, 'GET')).status).toBe(404);
    expect(broken.requests).toEqual(['POST', 'GET']);
    broken.close();
  });

  it('goes on with the next when the one it uses stops', async () => {
    const second = await split.start({ SVC_ROLES: 'manager', SVC_MANAGER_PORT: '0' });
    const base = await gatewayTo(`http://127.0.0.1:${second.ports.manager},${split.at.manager}`);
    expect((await call(base, 'POST')).status).toBe(200);
    await second.stop();
    const after = await eventually(
      () => call(base, 'POST'),
      ({ status }) => status === 200,
    );
    expect(after.status).toBe(200);
  });
});
