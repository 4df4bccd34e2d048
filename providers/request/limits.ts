import type { ClientRequest } from 'node:http';

import type { Clock } from '../../src/kernel/clock.ts';

/** How long an exchange with a vendor may take, in ms; what is left out is the default or has no limit. */
export type TimeLimits = {
  /** Until the connection is there. */
  connectMs?: number;
  /** Until the first delta. */
  firstTokenMs?: number;
  /** Without a byte. */
  idleMs?: number;
  totalMs?: number;
};

/** The cause of an error for an exchange that took too long; says which limit. */
export class TimedOut extends Error {
  override readonly name = 'TimedOut';
}

const CONNECT_MS = 10_000;
/** Silence after which the provider counts as gone; a turn also has its own deadline. */
const SILENCE_MS = 60_000;
/** The same for answers in one piece and reasoning models, which are silent while the model thinks. */
const THINKING_MS = 120_000;

/** A signal that fires after `ms` without `heard()`. */
export function watch(clock: Clock, ms: number) {
  const controller = new AbortController();
  const arm = () => clock.after(ms, () => controller.abort());
  let cancel = arm();
  return {
    signal: controller.signal,
    received: () => {
      cancel();
      cancel = arm();
    },
    stop: () => cancel(),
  };
}

/** A limit that was met, with the setting that changes it. */
const tooLong = (words: string, ms: number, limit: keyof TimeLimits): string =>
  `${words} within ${ms / 1_000} s (timeouts.${limit} of the provider)`;

/** The watch over one exchange. */
export type ExchangeWatch = {
  signal: AbortSignal;
  /** The limit that ended the exchange, in words; null: none did. */
  broken(): string | null;
  /** `isLate`: the connection is there before the request gets it. */
  connecting(request: ClientRequest, isLate: boolean): void;
  received(): void;
  spoke(): void;
  stop(): void;
};

/** Watches one exchange; `thinks`: the vendor may be silent for long before its first output. */
export function watchExchange(clock: Clock, limits: TimeLimits, thinks: boolean): ExchangeWatch {
  const controller = new AbortController();
  let broken: string | null = null;
  const after = (limit: keyof TimeLimits, ms: number, words: string) =>
    clock.after(ms, () => {
      broken ??= tooLong(words, ms, limit);
      controller.abort();
    });
  const idleMs = limits.idleMs ?? (thinks ? THINKING_MS : SILENCE_MS);
  const none = () => {};
  let heardAt = clock.elapsed();
  let cancelIdle = none;
  // One timer that looks back: a new one for each read would cost as much as the read's text.
  const waitIdle = (ms: number): void => {
    cancelIdle = clock.after(ms, () => {
      const left = heardAt + idleMs - clock.elapsed();
      if (left > 0) return waitIdle(left);
      broken ??= tooLong('nothing came', idleMs, 'idleMs');
      controller.abort();
    });
  };
  waitIdle(idleMs);
  let cancelConnect = none;
  let cancelFirst =
    limits.firstTokenMs === undefined
      ? none
      : after('firstTokenMs', limits.firstTokenMs, 'no first token');
  const cancelTotal =
    limits.totalMs === undefined ? none : after('totalMs', limits.totalMs, 'no end');
  return {
    signal: controller.signal,
    broken: () => broken,
    connecting(request, isLate) {
      const wait = () => after('connectMs', limits.connectMs ?? CONNECT_MS, 'no connection');
      if (isLate) cancelConnect = wait();
      request.once('socket', (socket) => {
        cancelConnect();
        if (!socket.connecting) return;
        cancelConnect = wait();
        socket.once('connect', () => cancelConnect());
      });
    },
    received() {
      heardAt = clock.elapsed();
    },
    spoke() {
      cancelFirst();
      cancelFirst = none;
    },
    stop() {
      for (const cancel of [cancelConnect, cancelIdle, cancelFirst, cancelTotal]) cancel();
    },
  };
}
