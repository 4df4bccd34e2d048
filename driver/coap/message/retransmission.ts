import type { TimerWheel, WheelTimer } from '../../timer-wheel.ts';

const ACK_TIMEOUT_MS = 2000;
const ACK_RANDOM_FACTOR = 1.5;
const MAX_RETRANSMIT = 4;
const MAX_TRANSMIT_WAIT_MS = 93_000;

/**
 * Sends at once and again after 2 to 3 s, doubling, four times; gives up after 93 s or `limitMs` at the
 * latest (RFC 7252 4.2, 4.8). The returned function cancels the transmission.
 */
export function transmit(
  wheel: TimerWheel,
  options: {
    random: number;
    limitMs: number;
    send: (repeated: boolean) => void;
    giveUp: () => void;
  },
): () => void {
  const { send, giveUp } = options;
  const limitMs = Math.min(MAX_TRANSMIT_WAIT_MS, options.limitMs);
  let timeoutMs = ACK_TIMEOUT_MS * (1 + (ACK_RANDOM_FACTOR - 1) * options.random);
  let sent = 0;
  let timer: WheelTimer;
  const next = () => {
    send(sent > 0);
    sent++;
    if (sent <= MAX_RETRANSMIT) {
      timer = wheel.add(timeoutMs, next);
      timeoutMs *= 2;
    } else {
      timer = wheel.add(timeoutMs, stopAndGiveUp);
    }
  };
  const limit = wheel.add(limitMs, () => {
    wheel.cancel(timer);
    giveUp();
  });
  const stopAndGiveUp = () => {
    wheel.cancel(limit);
    giveUp();
  };
  next();
  return () => {
    wheel.cancel(timer);
    wheel.cancel(limit);
  };
}
