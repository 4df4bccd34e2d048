import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import type { Door } from './doors.ts';

const LIMIT_MS = 30_000;

/** How a client goes away. */
export type Leave = {
  /** Milliseconds after it sent its request. */
  afterMs: number;
  /** RST, or an ordinary close. */
  how: 'reset' | 'close';
  /** How much of its request it sends. */
  sends: 'all' | 'half' | 'all but a byte';
};

/** Sends a request, or its beginning, to `base` and goes away without reading what comes. */
async function hangUp(base: string, door: Door, leave: Leave): Promise<void> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port), noDelay: true });
  // The server may be first to close; that is not what is looked at here.
  socket.on('error', () => {});
  const closed = once(socket, 'close');
  await Promise.race([once(socket, 'connect'), closed]);
  const bytes = door.bytes();
  const ends = { all: bytes.length, half: bytes.length / 2, 'all but a byte': bytes.length - 1 };
  socket.write(bytes.subarray(0, ends[leave.sends]));
  if (leave.afterMs > 0) await sleep(leave.afterMs);
  if (leave.how === 'reset') socket.resetAndDestroy();
  else socket.destroy();
  await closed;
}

/** Status of a request that is waited for. */
export async function answerOf(base: string, { bytes }: Door): Promise<number> {
  const { hostname, port } = new URL(base);
  const socket = connect({ host: hostname, port: Number(port) });
  socket.setTimeout(LIMIT_MS, () => socket.destroy(new Error('no answer')));
  try {
    await once(socket, 'connect');
    socket.write(bytes());
    const [head] = await once(socket, 'data');
    return Number(/^HTTP\/1\.1 (\d{3})/.exec(String(head))?.[1]);
  } finally {
    socket.destroy();
  }
}

/** Hangs up `count` times, the doors in turn, each time as `leaveOf` says. */
export async function hangUpOften(
  base: string,
  doors: readonly Door[],
  count: number,
  leaveOf: (n: number) => Leave,
  clients = 16,
): Promise<void> {
  let n = 0;
  const client = async (): Promise<void> => {
    while (n < count) {
      const mine = n;
      n += 1;
      const door = doors[mine % doors.length];
      if (door) await hangUp(base, door, leaveOf(mine));
    }
  };
  await Promise.all(Array.from({ length: clients }, client));
}
