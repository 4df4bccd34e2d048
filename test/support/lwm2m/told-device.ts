import { once } from 'node:events';

import { Agent, createServer, type IncomingMessage, ObserveWriteStream } from 'coap';

import { clearSocket, type Psk, secureSocket } from '../../../driver/simulator/secure-socket.ts';
import { numberIn } from '../formats/device.ts';

/** A request of the server, with the path and query as they came. */
export type Told = {
  method: string;
  url: string;
  accept: number | null;
  format: number | null;
  observe: number | null;
  payload: Buffer;
};
/** An answer in literal bytes; null says nothing. */
export type Said = {
  code: string;
  format?: number;
  payload?: Buffer | string;
  location?: string;
} | null;

type Taken = { url: string; stream: ObserveWriteStream; isOver: boolean };
export type ToldDevice = Awaited<ReturnType<typeof openToldDevice>>;

/** The bytes written in hexadecimal, blanks allowed. */
export const bytes = (hex: string): Buffer => Buffer.from(hex.replaceAll(' ', ''), 'hex');

/**
 * A device on the npm `coap` package that answers every request as `answer` says, in bytes that the test names, and keeps
 * what it was told. It shares no codec with the driver.
 */
export async function openToldDevice(
  port: number,
  answer: (told: Told) => Said,
  { psk, endpoint = 'urn:dev:1' }: { psk?: Psk; endpoint?: string } = {},
) {
  const to = { host: '127.0.0.1', port };
  const { socket, renew } = psk ? secureSocket(to, psk) : clearSocket();
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const agent = new Agent({ socket });
  const told: Told[] = [];
  const taken: Taken[] = [];
  const server = createServer((request, response) => {
    const { method, url, headers, payload } = request;
    const { Observe: observe } = headers;
    const one: Told = {
      method,
      url,
      accept: numberIn(request, 'Accept'),
      format: numberIn(request, 'Content-Format'),
      observe: typeof observe === 'number' ? observe : null,
      payload: Buffer.from(payload),
    };
    told.push(one);
    response.on('error', () => {});
    const said = answer(one);
    if (said === null) return;
    response.statusCode = said.code;
    if (said.format !== undefined) response.setOption('Content-Format', said.format);
    if (said.location !== undefined)
      response.setOption(
        'Location-Path',
        said.location
          .split('/')
          .slice(1)
          .map((part) => Buffer.from(part)),
      );
    if (response instanceof ObserveWriteStream && said.code === '2.05') {
      const begun = { url, stream: response, isOver: false };
      response.on('finish', () => (begun.isOver = true));
      taken.push(begun);
      response.write(said.payload ?? '');
    } else response.end(said.payload);
  });
  server.listen(socket);
  agent.on('error', () => {});
  server.on('error', () => {});
  let location = '';

  async function ask(
    method: 'POST' | 'DELETE',
    pathname: string,
    query = '',
    links?: string,
  ): Promise<IncomingMessage> {
    const request = agent.request({ ...to, pathname, query, method });
    if (links !== undefined) request.setOption('Content-Format', 40);
    request.end(links);
    const answered: IncomingMessage[] = await once(request, 'response');
    const [response] = answered;
    if (!response) throw new Error('no response');
    return response;
  }

  return {
    told,
    /** Observations that were taken, oldest first. */
    taken,
    /** What it was told since the last call. */
    heard: () => told.splice(0),
    renew,
    /** Answers the code of the Register. */
    async register(query = 'lt=3600&lwm2m=1.1&b=U', links = '</1/0>,</3/0>'): Promise<string> {
      const response = await ask('POST', '/rd', `ep=${endpoint}&${query}`, links);
      const { _packet: packet } = response;
      const parts = (packet.options ?? []).filter(({ name }) => name === 'Location-Path');
      if (parts.length > 0) location = `/${parts.map(({ value }) => String(value)).join('/')}`;
      return response.code;
    },
    update: async (query = '', links?: string, at = location): Promise<string> =>
      (await ask('POST', at, query, links)).code,
    deregister: async (at = location): Promise<string> => (await ask('DELETE', at)).code,
    location: () => location,
    /** A report through the observation that it took last, or another. */
    say(payload: Buffer | string, one = taken.at(-1)) {
      one?.stream.write(payload);
    },
    close() {
      server.close();
      agent.close();
      socket.close();
    },
  };
}
