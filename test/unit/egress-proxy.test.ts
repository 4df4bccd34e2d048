import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { createServer } from 'node:https';
import { request as httpsRequest } from 'node:https';
import { text } from 'node:stream/consumers';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';

import { createEgress, type Egress, EgressRefused } from '../../src/kernel/egress/egress.ts';
import type { Resolve } from '../../src/kernel/egress/guard.ts';
import { TunnelFailed } from '../../src/kernel/egress/tunnel.ts';
import { certificate } from '../support/neighbours/certificate.ts';
import { startCanary } from '../support/neighbours/loopback.ts';
import { startWebhookReceiver, status } from '../support/neighbours/webhook-receiver.ts';
import { type ConnectProxy, startConnectProxy } from '../support/proxies/connect-proxy.ts';
import { started } from '../support/world/prepared.ts';

const canary = started(startCanary);
const PUBLIC = '93.184.215.14';

/** A proxy that is opened, and an egress behind which the names resolve so. */
async function open(
  names: Record<string, string[]> = {},
  more: string[] = [],
): Promise<{
  proxy: ConnectProxy;
  egress: Egress;
  through(url: string, login?: string, until?: AbortSignal): Promise<string>;
}> {
  const proxy = await startConnectProxy();
  onTestFinished(() => proxy.stop());
  const resolve: Resolve = (host, answered) => {
    const found = names[host];
    const error = found ? null : Object.assign(new Error('not found'), { code: 'ENOTFOUND' });
    answered(
      error,
      (found ?? []).map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
    );
  };
  const egress = createEgress({ allow: [proxy.hostPort, ...more], resolve });
  onTestFinished(() => egress.close());
  return {
    proxy,
    egress,
    async through(url, login = '', until = new AbortController().signal) {
      const target = new URL(url);
      const send = target.protocol === 'https:' ? httpsRequest : httpRequest;
      const signal = AbortSignal.any([AbortSignal.timeout(5_000), until]);
      const way = egress.through({ url: `http://${proxy.hostPort}`, login }, target, signal);
      const outgoing = send(target, { ...way, signal });
      const [response] = await once(outgoing.end(), 'response');
      return text(response);
    },
  };
}

describe('a request through a proxy', () => {
  it('goes to an address that was checked, with the name of its target in the request', async () => {
    const { proxy, through } = await open({ 'vendor.test': ['2606:4700::1', PUBLIC] });
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    receiver.answer(status(200, 'from the vendor'));
    proxy.lead(`${PUBLIC}:80`, Number(receiver.hostPort.split(':')[1]));
    expect(await through('http://vendor.test/path')).toBe('from the vendor');
    expect(proxy.asked.map(({ authority }) => authority)).toEqual([`${PUBLIC}:80`]);
    expect(receiver.received[0]).toMatchObject({ headers: { host: 'vendor.test' } });
  });

  it('names a target that the operator opened, and leaves its address to the proxy', async () => {
    const { proxy, through } = await open({}, ['inner.test:80']);
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    receiver.answer(status(200, 'opened'));
    proxy.lead('inner.test:80', Number(receiver.hostPort.split(':')[1]));
    expect(await through('http://inner.test/')).toBe('opened');
    expect(proxy.asked.map(({ authority }) => authority)).toEqual(['inner.test:80']);
  });

  it.each([
    ['loopback', 'http://127.0.0.1:PORT/'],
    ['localhost', 'http://localhost:PORT/'],
    ['loopback in another spelling', 'http://0x7f.1:PORT/'],
    ['loopback of IPv6', 'http://[::1]:PORT/'],
    ['an address of metadata', 'http://169.254.169.254/'],
    ['a private address by TLS', 'https://10.0.0.1/'],
    ['a name that resolves to a private address', 'http://inside.test:PORT/'],
    ['a name that has a private address too', 'http://both.test:PORT/'],
  ])('does not reach %s', async (_what, url) => {
    const { proxy, through } = await open({
      'inside.test': ['127.0.0.1'],
      'both.test': [PUBLIC, '10.0.0.1'],
    });
    const refused = through(url.replace('PORT', String(canary.port)));
    await expect(refused).rejects.toBeInstanceOf(EgressRefused);
    expect([proxy.asked.length, canary.connections()]).toEqual([0, 0]);
  });

  it('fails where the name does not resolve here, and says how it can', async () => {
    const { proxy, through } = await open();
    const failed = await through('https://unknown.test/').catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(TunnelFailed);
    expect(failed).toMatchObject({ message: expect.stringContaining('SVC_EGRESS_ALLOW') });
    expect(proxy.asked).toEqual([]);
  });

  it('does not reach a proxy that is not public and was not opened', async () => {
    const { egress, proxy } = await open({ 'proxy.test': ['127.0.0.1'] });
    const target = new URL(`http://${PUBLIC}/`);
    const { signal } = new AbortController();
    for (const url of [`http://127.0.0.1:${canary.port}`, 'http://localhost:3128'])
      expect(() => egress.through({ url, login: '' }, target, signal)).toThrow(EgressRefused);
    const inner = { url: `http://proxy.test:${canary.port}`, login: '' };
    const byName = egress.through(inner, target, signal);
    const failed = once(httpRequest(target, byName).end(), 'response');
    await expect(failed).rejects.toThrow('The address of the proxy is not a public one');
    expect([proxy.asked.length, canary.connections()]).toEqual([0, 0]);
  });

  it('sends the login of its proxy, and shares no connection with another login', async () => {
    const { proxy, through } = await open({ 'vendor.test': [PUBLIC] });
    const receiver = await startWebhookReceiver();
    onTestFinished(() => receiver.stop());
    receiver.answer(status(200, 'in'));
    proxy.lead(`${PUBLIC}:80`, Number(receiver.hostPort.split(':')[1]));
    proxy.demand('plant:kettle');
    expect(await through('http://vendor.test/', 'plant:kettle')).toBe('in');
    expect(await through('http://vendor.test/', 'plant:kettle')).toBe('in');
    // The second one took the connection of the first.
    expect(proxy.asked).toHaveLength(1);
    await expect(through('http://vendor.test/', 'plant:other')).rejects.toMatchObject({
      message: 'The proxy answered 407: it refused the login',
      status: 407,
    });
    await expect(through('http://vendor.test/')).rejects.toMatchObject({ status: 407 });
  });

  it.each([
    [403, 'The proxy answered 403: it does not allow the target', 403],
    [502, 'The proxy answered 502: it did not reach the target', 502],
    [302, 'The proxy answered 302', 302],
    ['nonsense', 'The proxy does not answer', null],
    ['more', 'The proxy sent what no proxy sends', null],
  ] as const)('that is answered with %s says so', async (given, message, answered) => {
    const { proxy, through } = await open();
    proxy.answer(given);
    proxy.lead(`${PUBLIC}:80`, canary.port);
    await expect(through(`http://${PUBLIC}/`)).rejects.toMatchObject({ message, status: answered });
    await expect.poll(() => proxy.count()).toBe(0);
  });

  it('that is aborted while the proxy is silent ends at once, and its tunnel with it', async () => {
    const { proxy, through } = await open();
    proxy.answer('nothing');
    const left = new AbortController();
    const asked = through(`http://${PUBLIC}/`, '', left.signal);
    await expect.poll(() => proxy.asked.length).toBe(1);
    left.abort();
    await expect(asked).rejects.toThrow('The proxy does not answer');
    await expect.poll(() => proxy.clients()).toBe(0);
  });

  it('that is not there says so', async () => {
    const { proxy, through } = await open();
    await proxy.stop();
    await expect(through(`http://${PUBLIC}/`)).rejects.toThrow('The proxy does not answer');
  });
});

describe('TLS through a proxy', () => {
  const usual = getCACertificates('default');
  beforeAll(() => setDefaultCACertificates([...usual, certificate.cert]));
  afterAll(() => setDefaultCACertificates(usual));

  const secured = async (): Promise<number> => {
    const server = createServer(certificate, (_request, response) => void response.end('sealed'));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const address = server.address();
    return typeof address === 'object' && address ? address.port : 0;
  };

  it('is with the target, whose certificate has to have its name', async () => {
    const { proxy, through } = await open({ 'vendor.test': [PUBLIC] }, ['localhost:443']);
    const port = await secured();
    proxy.lead('localhost:443', port);
    proxy.lead(`${PUBLIC}:443`, port);
    expect(await through('https://localhost/')).toBe('sealed');
    // The certificate is known, and names another host.
    await expect(through('https://vendor.test/')).rejects.toMatchObject({
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    });
  });

  it('is refused with a certificate that is not known', async () => {
    setDefaultCACertificates(usual);
    onTestFinished(() => setDefaultCACertificates([...usual, certificate.cert]));
    const { proxy, through } = await open({}, ['localhost:443']);
    proxy.lead('localhost:443', await secured());
    await expect(through('https://localhost/')).rejects.toMatchObject({
      code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
    });
  });
});
