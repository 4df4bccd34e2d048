import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Agent, createServer, type IncomingMessage, ObserveWriteStream } from 'coap';

/** Set-points that the device knows, with their TLV: /3308/0/5900 as a float of 32 bits. */
const SET_POINTS: Readonly<Record<string, string>> = {
  '20': 'e4170c41a00000',
  '21.5': 'e4170c41ac0000',
  '22.25': 'e4170c41b20000',
  '-3.5': 'e4170cc0600000',
};
/** What it says of itself in TLV, by path. */
const FACTS: Readonly<Record<string, string>> = {
  // Manufacturer: "Old Works"
  '/3/0/0': 'c800094f6c6420576f726b73',
  // Battery level: 87
  '/3/0/9': 'c10957',
  // Available power sources: 1 and 5
  '/3/0/6': '8606410001410105',
  // Manufacturer and battery level
  '/3/0': 'c800094f6c6420576f726b73c10957',
};
const TLV = Buffer.from([0x2d, 0x16]);

/**
 * An LwM2M 1.0 device on the npm package `coap` alone, with TLV in literal bytes: it passes over Accept and always answers
 * in TLV, takes writes in TLV only, and reports its set-point.
 */
export async function openOldDevice(port: number, endpoint: string) {
  const socket = createSocket('udp4').bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const agent = new Agent({ socket });
  const watching = new Set<ObserveWriteStream>();
  let location = '';
  const state = { setPoint: '20', reboots: 0, writes: 0 };
  const tlvOf = (path: string): string | undefined =>
    path === '/3308/0/5900' ? SET_POINTS[state.setPoint] : FACTS[path];

  function take(payload: Buffer): string {
    const written = payload.toString('hex');
    const known = Object.entries(SET_POINTS).find(([, bytes]) => bytes === written);
    if (!known) return '4.00';
    state.writes += 1;
    [state.setPoint] = known;
    return '2.04';
  }

  function change(method: string, path: string, request: IncomingMessage): string {
    if (method === 'POST' && path === '/3/0/4') {
      state.reboots += request.payload.length === 0 ? 1 : 0;
      return request.payload.length === 0 ? '2.04' : '4.00';
    }
    if (method !== 'PUT') return '4.05';
    if (request.url.includes('?')) return '2.04';
    if (path !== '/3308/0/5900') return '4.05';
    const isTlv = request.headers['Content-Format'] === 'application/vnd.oma.lwm2m+tlv';
    return isTlv ? take(request.payload) : '4.15';
  }

  const server = createServer((request, response) => {
    const [path = ''] = request.url.split('?');
    response.on('error', () => {});
    if (request.method !== 'GET') {
      response.statusCode = change(request.method, path, request);
      response.end();
      return;
    }
    const tlv = tlvOf(path);
    if (tlv === undefined) {
      response.statusCode = '4.04';
      response.end();
      return;
    }
    response.setOption('Content-Format', TLV);
    const bytes = Buffer.from(tlv, 'hex');
    if (response instanceof ObserveWriteStream) {
      watching.add(response);
      response.on('finish', () => watching.delete(response));
      response.write(bytes);
    } else response.end(bytes);
  });
  server.listen(socket);
  agent.on('error', () => {});
  server.on('error', () => {});

  async function ask(method: 'POST' | 'DELETE', pathname: string, query: string, links = '') {
    const request = agent.request({ host: '127.0.0.1', port, pathname, query, method });
    if (links !== '') request.setOption('Content-Format', 40);
    request.end(links);
    const answered: IncomingMessage[] = await once(request, 'response');
    const [response] = answered;
    if (!response) throw new Error('no response');
    return response;
  }

  return {
    state,
    async register(): Promise<string> {
      const links = '</1/0>,</3/0>,</3308/0>,</3308/0>';
      const response = await ask('POST', '/rd', `ep=${endpoint}&lt=3600&b=U`, links);
      const { _packet: packet } = response;
      const parts = (packet.options ?? []).filter(({ name }) => name === 'Location-Path');
      location = `/${parts.map(({ value }) => String(value)).join('/')}`;
      return response.code;
    },
    update: async (): Promise<string> => (await ask('POST', location, 'lt=3600')).code,
    deregister: async (): Promise<string> => (await ask('DELETE', location, '')).code,
    /** Somebody turns the knob at the device. */
    turn(setPoint: string) {
      state.setPoint = setPoint;
      const bytes = Buffer.from(SET_POINTS[setPoint] ?? '', 'hex');
      for (const stream of watching) stream.write(bytes);
    },
    watching: () => watching.size,
    close() {
      server.close();
      agent.close();
      socket.close();
    },
  };
}
