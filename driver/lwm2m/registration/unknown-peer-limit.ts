import type { Clock } from '../../../src/kernel/clock.ts';

/** Requests of unknown endpoints that are answered: `burst` at once, then `aSecond` per second. */
const PER_HOST = { burst: 50, aSecond: 10 };
const IN_ALL = { burst: 500, aSecond: 200 };
const MAX_HOSTS = 10_000;

type Bucket = { tokens: number; filledAt: number };

/** A token bucket for each address, and one over all of them, because addresses can be forged. */
export type UnknownPeerLimit = { takes(host: string): boolean };

export function createUnknownPeerLimit(clock: Pick<Clock, 'elapsed'>): UnknownPeerLimit {
  const full = (burst: number): Bucket => ({ tokens: burst, filledAt: clock.elapsed() });
  const all = full(IN_ALL.burst);
  const hosts = new Map<string, Bucket>();

  function fill(bucket: Bucket, { burst, aSecond }: typeof IN_ALL): void {
    const now = clock.elapsed();
    bucket.tokens = Math.min(burst, bucket.tokens + ((now - bucket.filledAt) * aSecond) / 1000);
    bucket.filledAt = now;
  }

  return {
    takes(host) {
      fill(all, IN_ALL);
      if (all.tokens < 1) return false;
      const own = hosts.get(host) ?? full(PER_HOST.burst);
      // The map is in order of the last request; the oldest address is forgotten.
      hosts.delete(host);
      hosts.set(host, own);
      for (const [oldest] of hosts) {
        if (hosts.size <= MAX_HOSTS) break;
        hosts.delete(oldest);
      }
      fill(own, PER_HOST);
      if (own.tokens < 1) return false;
      own.tokens -= 1;
      all.tokens -= 1;
      return true;
    },
  };
}
