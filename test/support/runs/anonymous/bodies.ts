import type { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

const MB = 1024 * 1024;
const WIDE = 12 * MB;
const DRIP_MS = 20;

/** What a sender writes: its headers, and the body for as long as the socket is open. */
export type HostileBody = {
  name: string;
  /** It announces more than it sends: an answer that needs it all comes after half a minute. */
  isShort?: true;
  /** It is longer than what a server reads away: it closes the connection. */
  isLong?: true;
  headers: Record<string, string>;
  write(socket: Socket): Promise<void> | void;
};

const whole = (bytes: Buffer, headers: Record<string, string> = {}) => ({
  headers: { ...headers, 'content-length': String(bytes.length) },
  write: (socket: Socket) => void socket.write(bytes),
});

const objects = Buffer.from(`{"z":[${'{},'.repeat(WIDE / 3)}{}]}`);

export const hostileBodies: readonly HostileBody[] = [
  { name: 'gzip of 12 MB', ...whole(gzipSync(objects), { 'content-encoding': 'gzip' }) },
  { name: 'deep', isLong: true, ...whole(Buffer.from('['.repeat(200_000))) },
  { name: 'wide', isLong: true, ...whole(objects) },
  {
    name: 'chunked without end',
    isLong: true,
    headers: { 'transfer-encoding': 'chunked' },
    async write(socket) {
      const text = '{"a":1},'.repeat(8_000);
      socket.write(`1\r\n[\r\n`);
      while (socket.writable) {
        const isFull = !socket.write(`${text.length.toString(16)}\r\n${text}\r\n`);
        if (isFull)
          await new Promise<void>((go) => void socket.once('drain', go).once('close', go));
        else await sleep(0);
      }
    },
  },
  {
    name: 'dripping',
    isShort: true,
    headers: { 'content-length': '10000' },
    async write(socket) {
      while (socket.writable) {
        socket.write('[');
        await sleep(DRIP_MS);
      }
    },
  },
  {
    name: 'wrong length',
    isShort: true,
    headers: { 'content-length': '1000' },
    write: (socket) => void socket.write('{"a":1}'),
  },
];
