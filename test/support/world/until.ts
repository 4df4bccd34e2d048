import { vi } from 'vitest';

const WITHIN_MS = 20_000;

/** Answers what `check` answers once it throws no more; throws what it threw last after 20 s. */
export const until = <T>(check: () => T | Promise<T>): Promise<T> => vi.waitFor(check, WITHIN_MS);
