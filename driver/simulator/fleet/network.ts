import type { Socket } from 'node:dgram';

import type { Clock } from '../../../src/core/clock.ts';
import type { Counts } from './counts.ts';
import { createDice } from './dice.ts';

export type Network = {
  /** Share of the datagrams that is lost, each way. */
  loss: number;
  /** Time that a datagram takes, each way. */
  latencyMs: number;
};

/** Datagrams under way from and to one device; what comes beyond is lost, as in a full buffer. */
const MAX_UNDER_WAY = 64;

/**
 * A way of making sockets lose and delay datagrams in both directions; below DTLS, so that handshakes suffer too.
 * The dice are those of the device, whatever the number of its sockets.
 */
export function createNetwork(
  { loss, latencyMs }: Network,
  {
    seed,
    endpoint,
    clock,
    counts,
  }: { seed: string; endpoint: string; clock: Clock; counts: Counts },
): (socket: Socket) => void {
  const dice = {
    out: createDice(seed, endpoint, 'datagram out'),
    in: createDice(seed, endpoint, 'datagram in'),
  };
  let underWay = 0;

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

  return (socket) => {
    let isClosed = false;
    const { send, emit, close } = socket;
    const sent = (...given: unknown[]): void => {
      const arrives = pass('out', () => {
        if (!isClosed) Reflect.apply(send, socket, given);
      });
      const done = given.findLast((each) => typeof each === 'function');
      // Sent, as far as the sender can know.
      if (!arrives && typeof done === 'function') Reflect.apply(done, socket, [null, 0]);
    };
    const emitted = (event: string, ...given: unknown[]): boolean => {
      if (event !== 'message') return Reflect.apply(emit, socket, [event, ...given]);
      return pass('in', () => {
        if (!isClosed) Reflect.apply(emit, socket, [event, ...given]);
      });
    };
    const closed = (done?: () => void): Socket => {
      isClosed = true;
      return Reflect.apply(close, socket, done ? [done] : []);
    };
    Object.assign(socket, { send: sent, emit: emitted, close: closed });
  };
}
