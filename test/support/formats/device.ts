import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Agent, createServer, type IncomingMessage, type OutgoingMessage } from 'coap';

/** 21.5 at /3308/0/5900 in each format, as literal bytes. */
export const PAYLOADS: ReadonlyMap<number, Buffer> = new Map([
  [0, Buffer.from('21.5')],
  [60, Buffer.from('fa41ac0000', 'hex')],
  [110, Buffer.from('[{"bn":"/3308/0/5900","v":21.5}]')],
  [112, Buffer.from('81a2216c2f333330382f302f3539303002fa41ac0000', 'hex')],
  [11_542, Buffer.from('e4170c41ac0000', 'hex')],
  [11_543, Buffer.from('{"bn":"/3308/0/","e":[{"n":"5900","v":21.5}]}')],
]);

type Answer = { code: string; format?: number };

/** What the device was sent: reads with the format that was asked for, writes with that of the payload. */
export type Exchange = { method: string; format: number | null; payload: Buffer };

/** A device that answers each request with `answer`, a read in the format that it names, and keeps what it was sent. */
export async function openFormatDevice(answer: (exchange: Exchange) => Answer) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const sent: Exchange[] = [];
  const server = createServer((request: IncomingMessage, response: OutgoingMessage) => {
    const { method, payload } = request;
    const format = numberIn(request, method === 'GET' ? 'Accept' : 'Content-Format');
    const exchange = { method, format, payload: Buffer.from(payload) };
    sent.push(exchange);
    const { code, format: said } = answer(exchange);
    response.statusCode = code;
    if (said !== undefined) response.setOption('Content-Format', said);
    response.end(said === undefined ? undefined : PAYLOADS.get(said));
  });
  server.listen(socket);
  const agent = new Agent({ socket });
  return {
    /** What was sent since the last call: the methods with their formats. */
    taken: () => sent.splice(0).map(({ method, format }) => `${method} ${format ?? 'any'}`),
    sent,
    async register(port: number, { version = '1.1', links = '</3308/0>' } = {}): Promise<void> {
      const query = `ep=urn:dev:1&lt=60&lwm2m=${version}&b=U`;
      const to = { host: '127.0.0.1', port, pathname: '/rd', query, method: 'POST' } as const;
      const request = agent.request(to);
      request.setOption('Content-Format', 40);
      request.end(links);
      await once(request, 'response');
    },
    close(): void {
      server.close();
      agent.close();
      socket.close();
    },
  };
}

/** The number in an option; null without it. The package gives some as media types. */
export function numberIn({ headers }: IncomingMessage, option: 'Accept' | 'Content-Format') {
  const named = headers[option];
  if (named === undefined) return null;
  return typeof named === 'number' ? named : (mediaTypes[String(named)] ?? -1);
}

const mediaTypes: Readonly<Record<string, number>> = {
  'text/plain': 0,
  'application/link-format': 40,
  'application/octet-stream': 42,
  'application/cbor': 60,
  'application/senml+json': 110,
  'application/senml+cbor': 112,
  'application/vnd.oma.lwm2m+tlv': 11_542,
  'application/vnd.oma.lwm2m+json': 11_543,
};
