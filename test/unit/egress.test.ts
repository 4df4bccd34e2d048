import { once } from 'node:events';
import { get } from 'node:http';
import { connect } from 'node:net';

import { describe, expect, it, onTestFinished } from 'vitest';

import { createEgress, type Egress, EgressRefused } from '../../src/kernel/egress/egress.ts';
import { createGuard, type Resolve } from '../../src/kernel/egress/guard.ts';
import { allowedBySink, openEgress } from '../../src/kernel/egress/sink.ts';
import { loopback, startCanary } from '../support/neighbours/loopback.ts';
import { redirect, startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { started } from '../support/world/prepared.ts';

const canary = started(startCanary);

/** Names as a hostile DNS answers them; whoever asks again gets the next answer. */
const dns =
  (names: Record<string, string[][]>): Resolve =>
  (host, answered) => {
    const answers = names[host] ?? [];
    const addresses = (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
    answered(
      null,
      addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };

function open(options: { allow?: string[]; resolve?: Resolve } = {}): Egress {
  const egress = createEgress({ allow: [], ...options });
  onTestFinished(() => egress.close());
  return egress;
}

const send = (egress: Egress, url: string): Promise<Response> =>
  egress.fetch(url, { method: 'POST', body: 'secret', signal: AbortSignal.timeout(5_000) });

/** The same request over node:http, as a streaming provider sends it. */
async function stream(egress: Egress, url: string): Promise<number> {
  const target = new URL(url);
  const request = get(target, { agent: egress.agentFor(target), timeout: 5_000 });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  request.on('response', (response) => {
    response.resume();
    resolve(response.statusCode ?? 0);
  });
  request.on('error', reject);
  return promise;
}

const inside = [
  ['private', '10.0.0.1', '172.16.0.1', '172.31.255.254', '192.168.1.1', '0x0a000001', '10.1'],
  [
    'cloud metadata',
    '169.254.169.254',
    '0xa9fea9fe',
    '[::ffff:169.254.169.254]',
    '[fd00:ec2::254]',
  ],
  ['carrier-grade NAT', '100.64.0.1', '100.127.255.254'],
  ['link-local', '169.254.1.1', '[fe80::1]', '[febf::1]'],
  ['unique local', '[fc00::1]', '[fdff::1]', '[fec0::1]'],
  ['multicast and broadcast', '224.0.0.1', '239.1.1.1', '255.255.255.255', '[ff02::1]'],
  ['reserved', '192.0.0.1', '192.0.2.1', '198.18.0.1', '203.0.113.1', '240.0.0.1', '[2001:db8::1]'],
  ['an embedded private address', '[::ffff:10.0.0.1]', '[64:ff9b::10.0.0.1]', '[2002:0a00:1::]'],
] as const;

describe('a request to an address that is not public', () => {
  it.each(loopback)('never reaches loopback spelled %s', async (host) => {
    const egress = open();
    const url = `http://${host}:${canary.port}/`;
    await expect(send(egress, url)).rejects.toBeInstanceOf(EgressRefused);
    await expect(stream(egress, url)).rejects.toBeInstanceOf(EgressRefused);
    await expect(send(egress, `https://${host}:${canary.port}/`)).rejects.toBeInstanceOf(
      EgressRefused,
    );
    expect(canary.connections()).toBe(0);
  });

  it.each(inside)('is refused before anything is sent: %s', async (_kind, ...hosts) => {
    const egress = open();
    for (const host of hosts) {
      await expect(send(egress, `http://${host}/`)).rejects.toBeInstanceOf(EgressRefused);
      expect(() => egress.agentFor(new URL(`http://${host}/`))).toThrow(EgressRefused);
    }
  });

  it.each([
    ['loopback alone', [['127.0.0.1']]],
    ['a public address beside it', [['93.184.215.14', '127.0.0.1']]],
    ['loopback in the other family', [['::1']]],
    ['a mapped address', [['::ffff:127.0.0.1']]],
    ['the address of all interfaces', [['0.0.0.0']]],
    ['nothing', [[]]],
  ])('is refused when its name resolves to %s', async (_what, answers) => {
    const egress = open({ resolve: dns({ 'public.test': answers }) });
    const url = `http://public.test:${canary.port}/`;
    await expect(send(egress, url)).rejects.toBeInstanceOf(EgressRefused);
    await expect(stream(egress, url)).rejects.toBeInstanceOf(EgressRefused);
    expect(canary.connections()).toBe(0);
  });

  it('does not get there by a name that is public when asked first and loopback after', async () => {
    let asked = 0;
    const resolve: Resolve = (_host, answered) => {
      asked += 1;
      // Global unicast, but given to nobody: the first request ends nowhere.
      if (asked === 1) answered(null, [{ address: '2d00::1', family: 6 }]);
      else answered(null, [{ address: '127.0.0.1', family: 4 }]);
    };
    const egress = open({ resolve });
    const url = `http://rebinding.test:${canary.port}/`;
    const first = egress.fetch(url, { signal: AbortSignal.timeout(300) });
    await expect(first).rejects.toThrow();
    expect(asked).toBe(1);
    await expect(send(egress, url)).rejects.toBeInstanceOf(EgressRefused);
    await expect(stream(egress, url)).rejects.toBeInstanceOf(EgressRefused);
    expect(canary.connections()).toBe(0);
  });

  it('is noticed on the connection itself, whatever was said before', async () => {
    const guard = createGuard(new Set(), dns({}));
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    const socket = connect(Number(receiver.hostPort.split(':')[1]), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    expect(guard.isReached('public.test', 80, socket)).toBe(false);
    await once(socket, 'connect');
    expect(guard.isReached('public.test', 80, socket)).toBe(false);
  });

  it('is told without saying what the address was', async () => {
    const egress = open({ resolve: dns({ 'inner.test': [['10.1.2.3']] }) });
    const refused = await send(egress, 'http://inner.test/').catch((error: unknown) => error);
    expect(refused).toMatchObject({ status: 422, message: 'The address is not a public one' });
  });
});

describe('a URL', () => {
  it.each([
    'ftp://example.com/',
    'file:///etc/passwd',
    'data:text/plain,hello',
    'blob:http://example.com/1',
    'javascript:alert(1)',
    'gopher://example.com/',
    'ws://example.com/',
    'http://user@example.com/',
    'http://user:password@example.com/',
    'http://:password@example.com/',
    'http://127.0.0.1@example.com/',
    'http://',
    'example.com',
    '//example.com/',
    '',
  ])('%s is refused', async (url) => {
    await expect(send(open(), url)).rejects.toBeInstanceOf(EgressRefused);
  });
});

describe('what the operator opened', () => {
  it('is reached by that host and port alone', async () => {
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    const egress = open({ allow: [receiver.hostPort] });
    const answer = await send(egress, receiver.url);
    expect([answer.status, await stream(egress, receiver.url)]).toEqual([204, 204]);
    expect(receiver.received.map(({ method }) => method)).toEqual(['POST', 'GET']);
    const byName = receiver.url.replace('127.0.0.1', 'localhost');
    for (const other of [
      `http://127.0.0.1:${canary.port}/`,
      `http://[::1]:${canary.port}/`,
      byName,
    ])
      await expect(send(egress, other)).rejects.toBeInstanceOf(EgressRefused);
    expect(canary.connections()).toBe(0);
  });

  it('is reached in every spelling a URL makes the same, by name too', async () => {
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    const [, receiverPort] = receiver.hostPort.split(':');
    const egress = open({ allow: [`LOCALHOST:${receiverPort}`, `0x7f.1:${receiverPort}`] });
    for (const host of ['localhost', '127.1', '127.0.0.1'])
      expect((await send(egress, `http://${host}:${receiverPort}/`)).status).toBe(204);
  });

  it('does not open where it redirects to', async () => {
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    const egress = open({ allow: [receiver.hostPort] });
    for (const code of [301, 302, 303, 307, 308]) {
      receiver.answer(redirect(`http://127.0.0.1:${canary.port}/`, code));
      await expect(send(egress, receiver.url)).rejects.toThrow('fetch failed');
    }
    expect([receiver.received.length, canary.connections()]).toEqual([5, 0]);
  });

  it('is refused as a setting when it is no host and port', () => {
    for (const wrong of ['999.1.1.1:80', 'host:99999', ''])
      expect(() => createEgress({ allow: [wrong] })).toThrow(TypeError);
  });

  it('ends when the way out is closed', async () => {
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    receiver.answer(status(200, 'kept alive'));
    const egress = createEgress({ allow: [receiver.hostPort] });
    await (await send(egress, receiver.url)).text();
    await egress.close();
    await expect(send(egress, receiver.url)).rejects.toThrow();
  });
});

describe('what was opened for one kind of receiver', () => {
  const SINKS = ['provider', 'webhook', 'sms'] as const;

  it.each([
    ['', 'provider'],
    ['provider:', 'provider'],
    ['webhook:', 'webhook'],
    ['sms:', 'sms'],
  ] as const)('with %j is open for %s alone', async (prefix, opened) => {
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    receiver.answer(status(200, 'kept alive'));
    const egress = openEgress(allowedBySink([`${prefix}${receiver.hostPort}`]));
    onTestFinished(() => egress.close());
    // First where it is open: no other way may use the connection that is kept there.
    await (await send(egress[opened], receiver.url)).text();
    for (const sink of SINKS.filter((one) => one !== opened)) {
      await expect(send(egress[sink], receiver.url), sink).rejects.toBeInstanceOf(EgressRefused);
      await expect(stream(egress[sink], receiver.url), sink).rejects.toBeInstanceOf(EgressRefused);
    }
    expect(receiver.received).toHaveLength(1);
  });

  it('takes a host that is named like a kind', () => {
    expect(allowedBySink(['sms:8080', 'sms:sms:80', 'webhook:[::1]:9'])).toEqual({
      provider: ['sms:8080'],
      webhook: ['[::1]:9'],
      http: [],
      client: [],
      sms: ['sms:80'],
      mqtt: [],
    });
  });
});
