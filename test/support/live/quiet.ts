import { setTimeout as sleep } from 'node:timers/promises';

const QUIET_MS = 1_500;
const TRIES = 20;

/** Resolves once nothing was added to `list` for 1.5 s; throws when that does not come. */
export async function quiet(list: readonly unknown[]): Promise<void> {
  for (let n = 0; n < TRIES; n += 1) {
    const { length } = list;
    await sleep(QUIET_MS);
    if (list.length === length) return;
  }
  throw new Error(`there is no end of them: ${JSON.stringify(list.slice(-5))}`);
}
