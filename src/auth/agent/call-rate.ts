import type { App, Caller } from '../../kernel/app/app.ts';
import type { Clock } from '../../kernel/clock.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';

const MINUTE_MS = 60_000;
const MAX_KEYS = 10_000;

/**
 * Token buckets by key: each holds what a minute allows and is filled evenly. Keeps the keys that were used last; one
 * that is forgotten begins with a full bucket.
 */
export class Buckets {
  readonly #clock: Clock;
  readonly #kept = new Map<string, { left: number; at: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds until `key` may take one of `perMinute` (1 or more); 0 when it may now. */
  waitMs(key: string, perMinute: number): number {
    const missing = 1 - this.#left(key, perMinute);
    return missing <= 0 ? 0 : Math.ceil((missing * MINUTE_MS) / perMinute);
  }

  take(key: string, perMinute: number): void {
    const left = this.#left(key, perMinute) - 1;
    // Re-inserted, so that the map is ordered by use and the oldest key is dropped.
    this.#kept.delete(key);
    if (this.#kept.size >= MAX_KEYS) {
      const oldest = this.#kept.keys().next();
      if (!oldest.done) this.#kept.delete(oldest.value);
    }
    this.#kept.set(key, { left, at: this.#clock.elapsed() });
  }

  #left(key: string, perMinute: number): number {
    const kept = this.#kept.get(key);
    if (!kept) return perMinute;
    const passed = this.#clock.elapsed() - kept.at;
    return Math.min(perMinute, kept.left + (passed * perMinute) / MINUTE_MS);
  }
}

const CALL_RATES = slot((clock) => new Buckets(clock));

/**
 * Counts a call over REST of a key or token: for itself, and for its tenant with all its keys and tokens. People on an
 * interactive login are not counted. Throws TooManyRequests (429) with the seconds to wait.
 */
export function countCall(app: App, caller: Caller): void {
  if (caller.via !== 'key' && caller.via !== 'oauth') return;
  const { tenantId, principalId, clientId = '' } = caller;
  const { ofKey, ofTenant } = app.config.callsPerMinute;
  const asked = [
    { key: `${tenantId}:${principalId}:${clientId}`, limit: ofKey, whose: 'with this credential' },
    { key: tenantId, limit: ofTenant, whose: 'by the keys and tokens of this tenant together' },
  ].filter(({ limit }) => limit > 0);
  for (const { key, limit, whose } of asked) {
    const waitMs = app.of(CALL_RATES).waitMs(key, limit);
    if (waitMs > 0)
      throw new TooManyRequests(
        `More than ${limit} calls per minute ${whose}: wait, or ask for several things in one call`,
        Math.ceil(waitMs / 1_000),
      );
  }
  for (const { key, limit } of asked) app.of(CALL_RATES).take(key, limit);
}
