import type { Socket } from 'node:dgram';
import { once } from 'node:events';

import type { IncomingMessage, ObserveWriteStream, OutgoingMessage } from 'coap';

import { type Clock, systemClock } from '../../src/kernel/clock.ts';
import { type Psk, secureSocket } from './secure-socket.ts';
import { BlockServer, createExchange, GuardedAgent } from './stack.ts';

/** What a device is given by a bootstrap. */
export type Account = { server: { host: string; port: number }; lifetimeS: number; psk: Psk };

type BootstrapOptions = {
  endpoint: string;
  server: { host: string; port: number };
  /** The key that it left its factory with. */
  factory: Psk;
  clock?: Clock;
  /** Path that it refuses to have written; `/bs`: what it was given is inconsistent. */
  refuses?: string;
  patienceMs?: number;
  /** Each request of the server, as `PUT /0/1`. */
  heard?: (step: string) => void;
  network?: (socket: Socket) => void;
};

/** The code that refuses Bootstrap-Request, `silent` without an answer, `unfinished` where the server stopped. */
export type BootstrapFailure = { failed: string };

const TLV = 11542;
const LINK_FORMAT = 40;
/** For what the server writes. */
const PATIENCE_MS = 30_000;
const URI = /^coaps:\/\/(\[[^\]]+\]|[^:/]+)(?::(\d+))?$/;
const SECURE_PORT = 5684;

/**
 * A client-initiated bootstrap (OMA Core 1.1, 6.1.7): asks with its factory key, takes what the server writes until
 * Bootstrap-Finish, and answers the account when it is consistent.
 */
export async function bootstrap(given: BootstrapOptions): Promise<Account | BootstrapFailure> {
  const { endpoint, server, clock = systemClock } = given;
  const { socket, renew } = secureSocket(server, given.factory, given.network);
  socket.bind(0);
  await once(socket, 'listening');
  const agent = new GuardedAgent({ socket });
  const finished = Promise.withResolvers<Account | BootstrapFailure>();
  /** Instances of the Security and Server objects by path, their resources by id; its own account at /0/0 stays. */
  const instances = new Map<string, ReadonlyMap<number, Buffer>>();

  function answer(request: IncomingMessage): { code: string; links?: string } {
    const { url: path } = request;
    given.heard?.(`${request.method} ${path}`);
    if (path === given.refuses) return { code: path === '/bs' ? '4.06' : '4.00' };
    if (request.method === 'DELETE') {
      for (const one of instances.keys())
        if (`${one}/`.startsWith(`${path}/`)) instances.delete(one);
      return { code: '2.02' };
    }
    if (request.method === 'GET' && path === '/0') {
      const below = [...instances.keys()].filter((one) => one.startsWith('/0/'));
      const links = ['</0>', '</0/0>', ...below.map((one) => `<${one}>`)].join(',');
      return { code: '2.05', links };
    }
    if (request.method === 'PUT' && /^\/[01]\/\d+$/.test(path)) {
      if (formatIn(request) !== TLV) return { code: '4.15' };
      const entries = entriesOf(request.payload);
      if (!entries) return { code: '4.00' };
      instances.set(path, entries);
      return { code: '2.04' };
    }
    if (request.method !== 'POST' || path !== '/bs') return { code: '4.05' };
    const account = accountIn(instances);
    if (!account) return { code: '4.06' };
    // The answer goes first.
    clock.after(200, () => finished.resolve(account));
    return { code: '2.04' };
  }

  const coap = new BlockServer({}, (request, response: OutgoingMessage | ObserveWriteStream) => {
    response.on('error', () => {});
    const { code, links } = answer(request);
    if (links) response.setOption('Content-Format', LINK_FORMAT);
    response.statusCode = code;
    response.end(links);
  });
  coap.listen(socket);
  agent.on('error', () => {});
  coap.on('error', () => {});
  const cancel = clock.after(given.patienceMs ?? PATIENCE_MS, () =>
    finished.resolve({ failed: 'unfinished' }),
  );
  try {
    const ask = createExchange(agent, server, clock);
    const response = await ask('POST', '/bs', [`ep=${endpoint}`, `pct=${TLV}`]);
    if (!response) return { failed: 'silent' };
    if (response.code !== '2.04') return { failed: response.code };
    return await finished.promise;
  } finally {
    cancel();
    renew();
    coap.close();
    agent.close();
    socket.close();
  }
}

function formatIn({ headers }: IncomingMessage): number {
  const named = headers['Content-Format'];
  return named === 'application/vnd.oma.lwm2m+tlv' ? TLV : Number(named);
}

/** The account of the server beside that of the bootstrap; null where what was written does not make one. */
function accountIn(instances: ReadonlyMap<string, ReadonlyMap<number, Buffer>>): Account | null {
  const of = (object: string) =>
    [...instances].flatMap(([path, entries]) => (path.startsWith(object) ? [entries] : []));
  const [security, ...more] = of('/0/');
  const server = of('/1/').find(
    (one) => security && one.get(0)?.equals(security.get(10) ?? Buffer.alloc(0)),
  );
  const uri = URI.exec(security?.get(0)?.toString() ?? '');
  const [identity, key, lifetime] = [security?.get(3), security?.get(5), server?.get(1)];
  const isServer = security?.get(1)?.equals(Buffer.of(0)) && security.get(2)?.equals(Buffer.of(0));
  if (!uri?.[1] || !identity || !key || !lifetime || !isServer || more.length > 0) return null;
  return {
    server: { host: uri[1], port: Number(uri[2] ?? SECURE_PORT) },
    lifetimeS: lifetime.readIntBE(0, lifetime.length),
    psk: { identity: identity.toString(), key: key.toString('hex') },
  };
}

/** The resources in OMA TLV by id (OMA Core 1.1, 7.4.4), single ones alone; null for bytes that are none. */
function entriesOf(payload: Buffer): ReadonlyMap<number, Buffer> | null {
  const entries = new Map<number, Buffer>();
  for (let at = 0; at < payload.length;) {
    const head = payload.readUInt8(at);
    const idBytes = head & 0x20 ? 2 : 1;
    const lengthBytes = (head >> 3) & 3;
    const start = at + 1 + idBytes + lengthBytes;
    if (head >> 6 !== 3 || start > payload.length) return null;
    const length = lengthBytes === 0 ? head & 7 : payload.readUIntBE(at + 1 + idBytes, lengthBytes);
    if (start + length > payload.length) return null;
    entries.set(payload.readUIntBE(at + 1, idBytes), payload.subarray(start, start + length));
    at = start + length;
  }
  return entries;
}
