import type { RemoteInfo, Socket } from 'node:dgram';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const WAIT_MS = 5000;

/** A bare UDP peer that keeps what it received. */
export type RawPeer = {
  port: number;
  received: Buffer[];
  send(bytes: Buffer | number[], port: number): Promise<void>;
  /** The next datagram not yet taken. */
  next(): Promise<Buffer>;
  /** The answer to one datagram. */
  ask(bytes: Buffer | number[], port: number): Promise<Buffer>;
  close(): Promise<void>;
};

export async function openRawPeer(address = '127.0.0.1'): Promise<RawPeer> {
  const socket = await bound(address);
  const received: Buffer[] = [];
  let taken = 0;
  socket.on('message', (bytes) => received.push(bytes));
  const peer: RawPeer = {
    port: socket.address().port,
    received,
    send: (bytes, port) => sendTo(socket, Buffer.from(bytes), port, address),
    async next() {
      await until(() => received.length > taken);
      return received[taken++] ?? Buffer.alloc(0);
    },
    async ask(bytes, port) {
      await peer.send(bytes, port);
      return peer.next();
    },
    close: () => closed(socket),
  };
  return peer;
}

/** Waits, letting input and output happen, until `condition` holds; throws after 5 s. */
export async function until(condition: () => boolean): Promise<void> {
  const end = performance.now() + WAIT_MS;
  while (!condition()) {
    if (performance.now() > end) throw new Error('what was waited for did not happen');
    await new Promise((resolve) => {
      setTimeout(resolve, 1);
    });
  }
}

export type LossyProxy = {
  /** Where clients send to instead of the target. */
  port: number;
  passed: number;
  dropped: number;
  duplicated: number;
  close(): Promise<void>;
};

/**
 * Passes datagrams between clients and `target`, except those that `fate` drops or doubles; each
 * client keeps a port of its own towards the target.
 */
export async function openLossyProxy(
  target: number,
  fate: () => 'pass' | 'drop' | 'double',
  address = '127.0.0.1',
): Promise<LossyProxy> {
  const front = await bound(address);
  const backs = new Map<number, Socket>();
  const proxy: LossyProxy = {
    port: front.address().port,
    passed: 0,
    dropped: 0,
    duplicated: 0,
    async close() {
      await Promise.all([front, ...backs.values()].map(closed));
    },
  };
  const pass = (socket: Socket, bytes: Buffer, port: number) => {
    const decided = fate();
    if (decided === 'drop') {
      proxy.dropped++;
      return;
    }
    proxy.passed++;
    socket.send(bytes, port, address);
    if (decided === 'pass') return;
    proxy.duplicated++;
    socket.send(bytes, port, address);
  };
  front.on('message', (bytes: Buffer, from: RemoteInfo) => {
    let back = backs.get(from.port);
    if (!back) {
      back = createSocket('udp4');
      back.on('message', (answer) => pass(front, answer, from.port));
      backs.set(from.port, back);
    }
    pass(back, bytes, target);
  });
  return proxy;
}

async function bound(address: string): Promise<Socket> {
  const socket = createSocket(address.includes(':') ? 'udp6' : 'udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  return socket;
}

function sendTo(socket: Socket, bytes: Buffer, port: number, address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    socket.send(bytes, port, address, (error) => (error ? reject(error) : resolve()));
  });
}

function closed(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.close(resolve);
  });
}
