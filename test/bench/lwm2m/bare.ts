/** The yardstick: a UDP socket that sends back (`echo`) or counts (`sink`) what it receives, nothing else. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { answerWith } from './question.ts';

const [kind] = process.argv.slice(2);
const socket = createSocket('udp4');
let seen = 0;
socket.on('message', (bytes, from) => {
  seen += 1;
  if (kind === 'echo') socket.send(bytes, from.port, from.address);
});
socket.bind(0, '127.0.0.1');
await once(socket, 'listening');
answerWith(socket.address().port, () => seen);
