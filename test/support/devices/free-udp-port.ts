import { createSocket } from 'node:dgram';

export async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  const { promise, resolve } = Promise.withResolvers<void>();
  socket.bind(0, '127.0.0.1', resolve);
  await promise;
  const { port } = socket.address();
  socket.close();
  return port;
}
