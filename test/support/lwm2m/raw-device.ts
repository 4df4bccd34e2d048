import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Agent, createServer, type IncomingMessage, type OutgoingMessage } from 'coap';

type Asked = {
  query?: readonly string[];
  format?: number;
  payload?: Buffer;
};

/** A device on the npm `coap` stack without any behaviour of its own: one socket for what it asks and is asked. */
export async function openRawDevice(
  port: number,
  serve: (request: IncomingMessage, response: OutgoingMessage) => void = (_request, response) => {
    response.statusCode = '4.04';
    response.end();
  },
) {
  const socket = createSocket('udp4');
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const agent = new Agent({ socket });
  const server = createServer(serve);
  server.listen(socket);
  agent.on('error', () => {});
  server.on('error', () => {});
  return {
    async post(pathname: string, { query = [], format, payload }: Asked): Promise<IncomingMessage> {
      const request = agent.request({ host: '127.0.0.1', port, method: 'POST', pathname });
      request.setOption(
        'Uri-Query',
        query.map((item) => Buffer.from(item)),
      );
      if (format !== undefined) request.setOption('Content-Format', format);
      const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
      request.on('response', resolve);
      request.on('error', reject);
      request.end(payload);
      return promise;
    },
    close() {
      server.close();
      agent.close();
      socket.close();
    },
  };
}
export type RawDevice = Awaited<ReturnType<typeof openRawDevice>>;
