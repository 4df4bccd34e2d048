import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectSocket, createServer, type Socket } from 'node:net';

import { type Channel, connect } from 'amqplib';

import { topicNames } from '../../../src/bus/topic/topic-names.ts';
import { keepingOf } from '../../../src/bus/topic/topics.ts';

/** A prefix nobody else has, so that tests share a broker. */
export const freshPrefix = (): string => `t${randomBytes(8).toString('hex')}`;

/** Removes what a bus with this prefix leaves on the broker; queues of drivers expire on their own. */
export async function removeBus(url: string, prefix: string, queues: string[] = []): Promise<void> {
  await withChannel(url, async (channel) => {
    const kept = topicNames().flatMap((topic) => keepingOf(topic).queue ?? []);
    const named = [
      ...kept,
      'svc.q.driver_register',
      'svc.q.state',
      'svc.q.rule',
      'svc.q.event_rule',
      'svc.q.dead',
      'svc.q.pulse',
    ];
    for (const name of [...named.map((full) => full.replace(/^svc\./, '')), ...queues])
      await channel.deleteQueue(`${prefix}.${name}`);
    for (const topic of [...topicNames(), 'svc.e.dead'])
      await channel.deleteExchange(`${prefix}.${topic.replace(/^svc\./, '')}`);
  });
}

/** A plain channel beside the bus, as any other program with access to the broker has it. */
export async function withChannel<T>(
  url: string,
  work: (channel: Channel) => Promise<T>,
): Promise<T> {
  const connection = await connect(url);
  try {
    const channel = await connection.createConfirmChannel();
    const done = await work(channel);
    // A close overtakes what was not written yet.
    await channel.waitForConfirms();
    return done;
  } finally {
    await connection.close();
  }
}

/** The broker through a wire that can be cut, and left cut. */
export type Wire = {
  url: string;
  cut(): void;
  mend(): void;
  /**
   * Cuts each connection once `when` says so of what the client sends; that does not arrive. `farewell` is what the
   * client reads last.
   */
  cutWhen(when: (sent: Buffer) => boolean, farewell?: Buffer): void;
  close(): Promise<void>;
};

export async function wireTo(url: string): Promise<Wire> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let isCut = false;
  let cutsAt: (sent: Buffer) => boolean = () => false;
  let lastWords: Buffer = Buffer.alloc(0);
  const drop = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((near) => {
    if (isCut) {
      near.destroy();
      return;
    }
    const far = connectSocket(Number(target.port || 5672), target.hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        // What was written last still arrives.
        to.destroySoon();
      });
    }
    far.pipe(near);
    near.on('data', (sent: Buffer) => {
      if (cutsAt(sent)) {
        far.unpipe(near);
        if (lastWords.length > 0) near.write(lastWords);
        else near.destroy();
        far.destroy();
      } else far.write(sent);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const near = new URL(url);
  near.hostname = '127.0.0.1';
  near.port = String(typeof address === 'object' && address ? address.port : 0);
  return {
    url: near.href,
    cut() {
      isCut = true;
      drop();
    },
    mend() {
      isCut = false;
    },
    cutWhen(when, farewell = Buffer.alloc(0)) {
      cutsAt = when;
      lastWords = farewell;
    },
    async close() {
      drop();
      server.close();
      await once(server, 'close');
    },
  };
}

/** How many methods of this kind (class and method of AMQP 0-9-1) whole frames hold. */
export function methodsIn(sent: Buffer, [classId, methodId]: readonly [number, number]): number {
  let count = 0;
  // Type, channel and size, then what the frame holds, and an end mark.
  for (let at = 0; at + 11 <= sent.length; at += 8 + sent.readUInt32BE(at + 3))
    if (
      sent[at] === 1 &&
      sent.readUInt16BE(at + 7) === classId &&
      sent.readUInt16BE(at + 9) === methodId
    )
      count += 1;
  return count;
}

/** `connection.close` of AMQP 0-9-1 with the reply code 541, as a broker sends it that fails itself. */
export const INTERNAL_ERROR = Buffer.from(
  '01000000000019000a0032021d0e494e5445524e414c5f4552524f5200000000ce',
  'hex',
);
