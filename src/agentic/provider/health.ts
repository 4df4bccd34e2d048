import type { Clock } from '../../kernel/clock.ts';
import { Unavailable } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import type { Parameters } from './parameters.ts';

/** Answers in a row that failed, after which a provider is not asked for a while. */
const MAX_FAILURES = 8;
const OPEN_MS = 30_000;
const KEPT_MS = 600_000;
const MAX_PROVIDERS = 1_000;

type Breaker = { failures: number; openUntil: number; isTried: boolean };

/**
 * Health of the providers as this process sees it, and what it learned about the models of the environment, which
 * have no row to remember it.
 */
export const MODEL_HEALTH = slot((clock) => ({
  breakers: new TtlCache<Breaker>(clock, KEPT_MS, MAX_PROVIDERS),
  learned: new Map<string, Parameters>(),
}));
type Health = ReturnType<typeof MODEL_HEALTH>;

/** Throws Unavailable while the breaker of a provider is open; after that lets one request through at a time. */
export function expectClosed(clock: Clock, { breakers }: Health, key: string): void {
  const breaker = breakers.get(key);
  if (!breaker || breaker.failures < MAX_FAILURES) return;
  const left = breaker.openUntil - clock.now();
  if (left <= 0 && !breaker.isTried) {
    breaker.isTried = true;
    return;
  }
  const seconds = Math.max(1, Math.ceil(left / 1_000));
  throw new Unavailable(
    `The model provider failed ${breaker.failures} times in a row and is asked again in ${seconds} s`,
  );
}

/** The provider has answered. */
export const answeredBy = ({ breakers }: Health, key: string): void => breakers.delete(key);

/** A request that neither failed nor was answered is no trial any more. */
export function untried({ breakers }: Health, key: string): void {
  const breaker = breakers.get(key);
  if (breaker) breaker.isTried = false;
}

/** The provider has failed; the breaker opens after so many in a row. */
export function failedAt(clock: Clock, { breakers }: Health, key: string): void {
  const failures = (breakers.get(key)?.failures ?? 0) + 1;
  breakers.set(key, { failures, openUntil: clock.now() + OPEN_MS, isTried: false });
}
