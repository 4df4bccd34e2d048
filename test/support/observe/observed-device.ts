import { once } from 'node:events';

import { Agent, createServer, type IncomingMessage, ObserveWriteStream } from 'coap';

import { clearSocket, type Psk, secureSocket } from '../../../driver/simulator/secure-socket.ts';

/** An observation that the device took: what it says, and whether the server ended it. */
type Taken = { stream: ObserveWriteStream; isOver: boolean };

export type ObservedDevice = {
  /** Every request of the server: method, path and query, and the value of Observe. */
  asked: string[];
  taken: Taken[];
  value: string;
  format: number;
  isSilent: boolean;
  refusal: string | null;
  location: string;
  /** Forgets the DTLS session. */
  renew(): void;
  /** Answers the code; at another port than its own where one is named. */
  register(endpoint: string, at?: number): Promise<string>;
  update(location?: string): Promise<string>;
  /** Through the observation that it took last, or another. */
  say(value: string, taken?: Taken): void;
  close(): void;
};

/**
 * A device of one resource that says exactly what a test makes it say, and when; in clear, or over DTLS with a
 * key.
 */
export async function openObservedDevice(port: number, psk?: Psk): Promise<ObservedDevice> {
  const to = { host: '127.0.0.1', port };
  const { socket, renew } = psk ? secureSocket(to, psk) : clearSocket();
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const agent = new Agent({ socket });
  const server = createServer((request, response) => {
    const { method, url, headers } = request;
    const observe = headers['Observe'];
    device.asked.push(`${method} ${url}${observe === undefined ? '' : ` ${String(observe)}`}`);
    if (device.isSilent) return;
    if (method === 'PUT') {
      response.statusCode = '2.04';
      response.end();
    } else if (device.refusal !== null) {
      response.statusCode = device.refusal;
      response.end();
    } else if (response instanceof ObserveWriteStream) {
      const taken = { stream: response, isOver: false };
      device.taken.push(taken);
      response.on('finish', () => (taken.isOver = true));
      response.on('error', () => {});
      response.setOption('Content-Format', device.format);
      response.write(device.value);
    } else response.end(device.value);
  });
  server.listen(socket);
  agent.on('error', () => {});
  server.on('error', () => {});

  async function ask(pathname: string, query = '', at = port): Promise<IncomingMessage> {
    const request = agent.request({ ...to, port: at, pathname, query, method: 'POST' });
    request.end();
    const answered: IncomingMessage[] = await once(request, 'response');
    const [response] = answered;
    if (!response) throw new Error('no response');
    return response;
  }

  const device: ObservedDevice = {
    asked: [],
    taken: [],
    value: '20',
    format: 0,
    isSilent: false,
    refusal: null,
    location: '',
    renew,
    async register(endpoint, at) {
      const response = await ask('/rd', `ep=${endpoint}&lt=3600&lwm2m=1.1&b=U`, at);
      const { _packet: packet } = response;
      const parts = (packet.options ?? []).filter(({ name }) => name === 'Location-Path');
      device.location = `/${parts.map(({ value }) => String(value)).join('/')}`;
      return response.code;
    },
    async update(location = device.location) {
      return (await ask(location)).code;
    },
    say(value, taken = device.taken.at(-1)) {
      device.value = value;
      taken?.stream.write(value);
    },
    close() {
      server.close();
      agent.close();
      socket.close();
    },
  };
  return device;
}
