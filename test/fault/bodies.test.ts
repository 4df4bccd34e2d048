import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { expect, it } from 'vitest';

import { createRandom } from '../support/hostile/random.ts';
import { bearerFor } from '../support/people/bearer.ts';
import { login } from '../support/people/session.ts';
import { sendBodies } from '../support/runs/bodies.ts';
import { INSPECTED, liveMemoryOf, memoryAfterCollection } from '../support/runs/live-memory.ts';
import { testEnvironment } from '../support/world/environment.ts';
import { startServer } from '../support/world/server.ts';

/** Of each revision; `npm run prove -- bodies` sends 10,000. */
const BODIES = 300;

it('answers hostile bodies of both revisions without an exit or a 5xx', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bodies-'));
  try {
    const runs = await sendBodies({ SVC_DATA_DIR: directory }, createRandom(20_261_122), BODIES);
    expect(runs.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(runs.map(({ sent }) => sent)).toEqual([BODIES, BODIES]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}, 180_000);

const REVISION = '2026-07-28';
const LONG = 'x'.repeat(900_000);
const LONG_BODIES = 20;
const MOST_HELD_MB = 5;
/** A call, a call for a stream, and what is not JSON. */
const METHODS = ['tools/call', 'subscriptions/listen', null];

it('holds no body that it has answered beyond one collection of garbage', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'svc-bodies-'));
  const server = await startServer({
    ...testEnvironment,
    ...INSPECTED,
    SVC_DATA_DIR: directory,
  });
  try {
    const { SVC_ADMIN_PASSWORD: password } = testEnvironment;
    const admin = await login(server.base, 'default', 'admin', password);
    const token = await bearerFor(admin, { scope: 'svc:read' });
    const send = async (method: string | null): Promise<number> => {
      for (let sent = 0; sent < LONG_BODIES; sent += 1)
        await fetch(`${server.base}/mcp`, longBody(method, token)).then((got) => got.text());
      return memoryAfterCollection(server.output);
    };
    const grown = new Map<string | null, number>();
    for (const method of METHODS) {
      await send(method);
      const before = await liveMemoryOf(server.output);
      grown.set(method, (await send(method)) - before);
    }
    expect([...grown].filter(([, mb]) => mb > MOST_HELD_MB)).toEqual([]);
  } finally {
    await server.stop();
    await rm(directory, { recursive: true, force: true });
  }
}, 180_000);

function longBody(method: string | null, token: string): RequestInit {
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': REVISION,
    'mcp-method': method ?? 'tools/call',
    'mcp-name': 'getCurrentTenantInfo',
  };
  const params = {
    name: 'getCurrentTenantInfo',
    arguments: {},
    text: LONG,
    notifications: { resourceSubscriptions: '' },
    _meta: {
      'io.modelcontextprotocol/protocolVersion': REVISION,
      'io.modelcontextprotocol/clientInfo': { name: 'x', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  };
  const whole = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
  return { method: 'POST', headers, body: method === null ? whole.slice(1) : whole };
}
