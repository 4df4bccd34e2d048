import type { ChildProcess } from 'node:child_process';
import { execFile, spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { Code } from '../../../driver/coap/endpoint.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import type { TestedEndpoint } from '../../support/devices/coap.ts';
import { LARGE, openTestedEndpoint } from '../../support/devices/coap.ts';
import { openRawPeer } from '../../support/devices/udp.ts';

const TIMEOUT_MS = 20_000;
const run = promisify(execFile);

let endpoint: TestedEndpoint;
let folder: string;

beforeEach(async () => {
  endpoint = await openTestedEndpoint();
  folder = await mkdtemp(join(tmpdir(), 'coap-'));
});

afterEach(async () => {
  await endpoint.close();
  await rm(folder, { recursive: true });
});

/** Runs coap-client-notls; the answer's payload as it stands in the output file. */
async function runClient(path: string, ...options: string[]): Promise<Buffer> {
  const output = join(folder, 'output');
  await writeFile(output, '');
  const uri = `coap://127.0.0.1:${endpoint.port}/${path}`;
  await run('coap-client-notls', ['-B', '10', '-o', output, ...options, uri], {
    timeout: TIMEOUT_MS,
  });
  return readFile(output);
}

describe('libcoap as a client of ours', () => {
  it.each([['confirmable'], ['non-confirmable', '-N']])(
    'gets and puts, %s',
    async (_name, ...flags) => {
      expect((await runClient('hello', ...flags)).toString()).toBe('hi');
      await runClient('3/0/15', ...flags, '-m', 'put', '-t', '0', '-e', 'Europe');
      expect(endpoint.requests[1]).toMatchObject({
        method: 'PUT',
        path: ['3', '0', '15'],
        contentFormat: 0,
        payload: Buffer.from('Europe'),
      });
    },
  );

  it('registers', async () => {
    await runClient('rd?ep=dev-1&lt=60&lwm2m=1.1&b=U', '-m', 'post', '-t', '40', '-e', '</3/0>');
    expect(endpoint.requests).toMatchObject([
      { path: ['rd'], query: ['ep=dev-1', 'lt=60', 'lwm2m=1.1', 'b=U'], contentFormat: 40 },
    ]);
  });

  it.each(['1024', '64'])(
    'posts 5,000 bytes in blocks of %s, each with its own token',
    async (size) => {
      const input = join(folder, 'input');
      await writeFile(input, LARGE);
      const echoed = await runClient('large', '-m', 'post', '-b', size, '-f', input);
      expect(endpoint.requests).toHaveLength(1);
      expect(endpoint.requests[0]?.payload).toEqual(LARGE);
      expect(echoed).toEqual(LARGE);
    },
  );

  it('gets 5,000 bytes', async () => {
    expect(await runClient('large')).toEqual(LARGE);
  });

  it(
    'gets 5,000 bytes although two of its own datagrams are lost',
    { timeout: 60_000 },
    async () => {
      expect(await runClient('large', '-l', '2,9')).toEqual(LARGE);
    },
  );
});

describe('libcoap as a server to us', () => {
  let server: ChildProcess;
  let port: number;

  beforeEach(async () => {
    const free = await openRawPeer();
    port = free.port;
    await free.close();
    server = spawn('coap-server-notls', ['-A', '127.0.0.1', '-p', String(port), '-d', '10']);
  });

  afterEach(() => {
    server.kill();
  });

  const ask = (method: 'GET' | 'PUT', path: string, payload?: Buffer) =>
    endpoint.request(
      { address: '127.0.0.1', port },
      {
        method,
        path: [path],
        deadline: systemClock.now() + TIMEOUT_MS,
        ...(payload ? { payload, contentFormat: 42 } : {}),
      },
    );

  it('takes an upload of 5,000 bytes and gives them back', { timeout: TIMEOUT_MS }, async () => {
    expect((await ask('PUT', 'firmware', LARGE)).code).toBe(Code.CREATED);
    const got = await ask('GET', 'firmware');
    expect(got).toEqual({ code: Code.CONTENT, contentFormat: 42, observe: null, payload: LARGE });
  });

  it('answers late', { timeout: TIMEOUT_MS }, async () => {
    const got = await ask('GET', 'async');
    expect(got.code).toBe(Code.CONTENT);
  });
});
