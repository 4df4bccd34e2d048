import { createSocket, type Socket } from 'node:dgram';

import type { Clock } from '../../../src/kernel/clock.ts';
import type { Counts } from './counts.ts';
import { createDice } from './random.ts';

export type Network = {
  /** Share of the datagrams that is lost, each way. */
  loss: number;
  /** Time that a datagram takes, each way. */
  latencyMs: number;
};

/** Datagrams under way from and to one device; what comes beyond is lost, as in a full buffer. */
const MAX_UNDER_WAY = 64;

/** An address translator keeps a mapping for so long after its last use (RFC 4787 4.3, REQ-5). */
const HELD_MS = 120_000;
/** Ports beyond these are free at once: the system gives one of tens of thousands to the next device. */
const MAX_HELD = 2_000;

let heldPorts = 0;

/** The way between one device and the server. */
export type DeviceNetwork = {
  /** Makes a socket lose and delay datagrams in both directions; below DTLS, so that handshakes suffer too. */
  attach(socket: Socket): void;
  /**
   * As when an address translator forgets a mapping: the socket that was attached last sends from another port, and what
   * comes for the former one is lost. The device does not notice.
   */
  rebind(): void;
};

/** The dice are those of the device, whatever the number of its sockets. */
export function createNetwork(
  { loss, latencyMs }: Network,
  {
    seed,
    endpoint,
    clock,
    counts,
  }: { seed: string; endpoint: string; clock: Clock; counts: Counts },
): DeviceNetwork {
  const dice = {
    out: createDice(seed, endpoint, 'datagram out'),
    in: createDice(seed, endpoint, 'datagram in'),
  };
  let underWay = 0;
  let rebind = (): void => {};

  /** False when the datagram is lost. */
  function pass(way: keyof typeof dice, arrive: () => void): boolean {
    if (dice[way].roll(loss) || underWay >= MAX_UNDER_WAY) {
      counts.lost += 1;
      return false;
    }
    if (latencyMs === 0) {
      arrive();
      return true;
    }
    underWay += 1;
    // Node keeps the timers of one duration in one list.
    clock.after(latencyMs, () => {
      underWay -= 1;
      arrive();
    });
    return true;
  }

  function attach(socket: Socket): void {
    let isClosed = false;
    /** Where the datagrams leave once the port was changed on the way. */
    let outer: Socket | null = null;
    const { send, emit, close } = socket;
    const sent = (...given: unknown[]): void => {
      const arrives = pass('out', () => {
        if (isClosed) return;
        if (outer) Reflect.apply(outer.send, outer, given);
        else Reflect.apply(send, socket, given);
      });
      const done = given.findLast((each) => typeof each === 'function');
      // Sent, as far as the sender can know.
      if (!arrives && typeof done === 'function') Reflect.apply(done, socket, [null, 0]);
    };
    const arrived = (given: unknown[]): boolean =>
      pass('in', () => {
        if (!isClosed) Reflect.apply(emit, socket, ['message', ...given]);
      });
    const emitted = (event: string, ...given: unknown[]): boolean => {
      if (event !== 'message') return Reflect.apply(emit, socket, [event, ...given]);
      return outer ? false : arrived(given);
    };
    const left = (): void => {
      if (!outer) return;
      holdPort(outer);
      outer.close();
    };
    const closed = (done?: () => void): Socket => {
      isClosed = true;
      left();
      holdPort(socket);
      return Reflect.apply(close, socket, done ? [done] : []);
    };
    Object.assign(socket, { send: sent, emit: emitted, close: closed });
    rebind = () => {
      if (isClosed) return;
      left();
      outer = createSocket('udp4');
      outer.on('message', (...given) => arrived(given));
      outer.on('error', () => {});
    };
  }

  return { attach, rebind: () => rebind() };
}

/**
 * Keeps the port of a socket that is closed from other devices, as an address translator does: in clear nothing but the
 * address tells two devices apart, and the next one at it would answer in place of the former. Call before the close.
 */
function holdPort(socket: Socket): void {
  const place = placeOf(socket);
  if (place === null || heldPorts >= MAX_HELD) return;
  heldPorts += 1;
  socket.once('close', () => {
    const held = createSocket('udp4');
    const release = (): void => void held.close();
    const timer = setTimeout(release, HELD_MS).unref();
    held.once('close', () => {
      clearTimeout(timer);
      heldPorts -= 1;
    });
    held.once('error', release).bind(place);
    held.unref();
  });
}

/** null for a socket that is not bound. */
function placeOf(socket: Socket): { address: string; port: number } | null {
  try {
    const { address, port } = socket.address();
    return { address, port };
  } catch {
    return null;
  }
}
