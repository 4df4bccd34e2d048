import { once } from 'node:events';
import { createServer } from 'node:net';

/** A server on loopback, in both families, that counts who connects: nobody should. */
export async function startCanary(): Promise<{
  port: number;
  connections(): number;
  stop(): Promise<void>;
}> {
  let connections = 0;
  const server = createServer((socket) => {
    connections += 1;
    socket.destroy();
  });
  server.listen(0, '::');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    port: address.port,
    connections: () => connections,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      await closed;
    },
  };
}

/** This machine, as hosts of URLs spell it. */
export const loopback: readonly string[] = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '127.127.127.127',
  '2130706433',
  '0x7f000001',
  '0x7F.1',
  '0x7f.0x0.0x0.0x1',
  '0177.0.0.1',
  '0177.1',
  '017700000001',
  '00000177.0.0.01',
  '0',
  '0.0.0.0',
  '0x0',
  '127.0.0.1.',
  '①②⑦.0.0.1',
  '１２７.０.０.１',
  '127。0。0。1',
  '127．0．0．1',
  '%31%32%37.0.0.1',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ｌｏｃａｌｈｏｓｔ',
  'local\thost',
  'app.localhost',
  'app.localhost.',
  '[::1]',
  '[::]',
  '[0:0:0:0:0:0:0:1]',
  '[0000::0001]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::FFFF:0.0.0.0]',
  '[0:0:0:0:0:ffff:127.1.1.1]',
  '[::127.0.0.1]',
  '[::ffff:0:127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[64:ff9b:1::7f00:1]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
];
