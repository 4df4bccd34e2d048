import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { performance } from 'node:perf_hooks';

import {
  Code,
  EMPTY,
  type Message,
  MessageType,
  parseMessage,
  serialiseMessage,
} from '../../../driver/coap/message/message.ts';
import { OptionNumber, textOptions, uintOption } from '../../../driver/coap/message/option.ts';
import { setPoint } from './set-points.ts';

const TIMEOUT_MS = 5_000;
const PATH = textOptions(OptionNumber.URI_PATH, ['3308', '0', '5900']);
const TEXT = 0;
const PUT = [...PATH, uintOption(OptionNumber.CONTENT_FORMAT, TEXT)];
const GET = [...PATH, uintOption(OptionNumber.ACCEPT, TEXT)];

/** Writes to the device and reads back, over a bare socket: two confirmable exchanges and nothing else. */
export async function openExchange(port: number) {
  const socket = createSocket('udp4');
  socket.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let mid = 0;

  async function exchange(code: number, options: Message['options'], payload: Buffer) {
    mid = (mid + 1) % 0x1_0000;
    const message = { type: MessageType.CON, code, mid, token: 'b', options, payload };
    const answer = once(socket, 'message', { signal: AbortSignal.timeout(TIMEOUT_MS) });
    socket.send(serialiseMessage(message));
    const [bytes]: unknown[] = await answer;
    const parsed = Buffer.isBuffer(bytes) ? parseMessage(bytes) : 'no datagram';
    if (typeof parsed === 'string') throw new Error(parsed);
    return parsed;
  }

  return {
    /** Milliseconds of each of `count` writes with their read-backs. */
    async times(count: number): Promise<number[]> {
      const times: number[] = [];
      for (let turn = 0; turn < count; turn += 1) {
        const value = String(setPoint(turn));
        const began = performance.now();
        const put = await exchange(Code.PUT, PUT, Buffer.from(value));
        const got = await exchange(Code.GET, GET, EMPTY);
        times.push(performance.now() - began);
        if (put.code !== Code.CHANGED || got.payload.toString() !== value)
          throw new Error('the device holds another value');
      }
      return times;
    },
    close: () => socket.close(),
  };
}
