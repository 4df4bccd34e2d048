import { randomBytes } from 'node:crypto';

export type Random = (bytes: number) => Buffer;

const POOL_BYTES = 4096;

/** Random bytes cut from a pool, as one call per token would cost more than the rest of a message. */
export function pooledRandom(): Random {
  let pool = randomBytes(POOL_BYTES);
  let used = 0;
  return (bytes) => {
    if (used + bytes > pool.length) {
      pool = randomBytes(POOL_BYTES);
      used = 0;
    }
    used += bytes;
    return pool.subarray(used - bytes, used);
  };
}
