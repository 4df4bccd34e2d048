import { signal } from '@preact/signals';

/** By how much the clock of the server is ahead of this machine's, in ms. */
let aheadMs = 0;

/** Learns the server's time from the `Date` of an answer; it is exact to a second. */
export function learnTime(date: string | null): void {
  const said = Date.parse(date ?? '');
  if (Number.isNaN(said)) return;
  const difference = said - Date.now();
  // A second is cut off from what the server says.
  if (Math.abs(difference - aheadMs) > 1_500) aheadMs = difference;
}

/** The time of the server, in ms since the epoch. */
export const now = (): number => Date.now() + aheadMs;

/** The same, renewed once a second: what reads it while drawing is drawn again. */
export const ticking = signal(now());

export const startClock = (): void => {
  setInterval(() => {
    if (!document.hidden) ticking.value = now();
  }, 1_000);
};

/** Time zone of the plant; null while it is not known. */
export const plantZone = signal<string | null>(null);
