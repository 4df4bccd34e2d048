import { setTimeout as sleep } from 'node:timers/promises';

/** Asks again every 200 ms until `accept` is content with the answer; the last one is in the error. */
export async function eventually<T>(
  ask: () => Promise<T>,
  accept: (answer: T) => boolean,
  timeoutMs = 20_000,
): Promise<T> {
  let last: T | undefined;
  for (let waited = 0; waited <= timeoutMs; waited += 200) {
    last = await ask();
    if (accept(last)) return last;
    await sleep(200);
  }
  throw new Error(`it never came: ${JSON.stringify(last)}`);
}
