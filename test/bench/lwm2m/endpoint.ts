/** The layers below LwM2M alone: CoAP that answers a few bytes (`coap`), DTLS that sends records back (`dtls`). */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { Code, openCoapEndpoint } from '../../../driver/coap/endpoint.ts';
import { DtlsServer } from '../../../driver/dtls/server.ts';
import { systemClock as clock } from '../../../src/kernel/clock.ts';
import { createLog } from '../../../src/kernel/process/log.ts';
import { answerWith } from './question.ts';
import { KEY } from './secure-fleet.ts';

const [kind] = process.argv.slice(2);
let seen = 0;

async function openCoap(): Promise<number> {
  const payload = Buffer.from('21.5');
  const endpoint = await openCoapEndpoint({
    host: '127.0.0.1',
    port: 0,
    clock,
    log: createLog('silent'),
    async onRequest() {
      seen += 1;
      return { code: Code.CONTENT, contentFormat: 0, payload };
    },
  });
  return endpoint.port;
}

async function openDtls(): Promise<number> {
  const socket = createSocket('udp4');
  const server = new DtlsServer({
    clock,
    send: (datagram, { port, address }) => socket.send(datagram, port, address),
    keys: (identity) => [{ key: KEY, holder: identity.toString(), mark: 'k' }],
    received({ id }, data) {
      seen += 1;
      server.send(id, data);
    },
    ended: () => {},
  });
  socket.on('message', (bytes, { address, port }) => server.receive(bytes, { address, port }));
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return socket.address().port;
}

answerWith(await (kind === 'dtls' ? openDtls() : openCoap()), () => seen);
