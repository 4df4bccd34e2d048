/** Sends Registers of unknown names, as many a second as asked for, until it is ended; a process of its own. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

import { registerAs } from './known.ts';

const SOCKETS = 8;
const STEP_MS = 10;

const [port = '', perSecond = ''] = process.argv.slice(2);
const sockets = await Promise.all(
  Array.from({ length: SOCKETS }, async () => {
    const socket = createSocket('udp4');
    socket.connect(Number(port), '127.0.0.1');
    await once(socket, 'connect');
    return socket;
  }),
);
let sent = 0;
const began = performance.now();
const timer = setInterval(() => {
  const due = ((performance.now() - began) / 1_000) * Number(perSecond);
  for (; sent < due; sent += 1)
    sockets[sent % SOCKETS]?.send(registerAs(sent & 0xff_ff, `stranger-${process.pid}-${sent}`));
}, STEP_MS);
process.once('SIGTERM', () => {
  clearInterval(timer);
  const seconds = (performance.now() - began) / 1_000;
  console.log(`${Math.round(sent / seconds)}`);
  process.exit();
});
console.log('flooding');
