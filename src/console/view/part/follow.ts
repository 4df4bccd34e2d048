import { now } from '../../app/client/clock.ts';
import type { Answer, Host } from '../host/host.ts';

const WAIT_S = 25;
/** Enough for the ten minutes in which a proposal can be decided, and for the write after it. */
const MAX_LOOKS = 40;
/** Between looks, also of a host that does not wait. */
const PAUSE_MS = 2_000;
const MAX_FAILURES = 5;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/** Until the view is visible. */
async function seen(): Promise<void> {
  if (!document.hidden) return;
  await new Promise((resolve) => {
    document.addEventListener('visibilitychange', resolve, { once: true });
  });
  return seen();
}

/**
 * Looks the proposal up, at each change, until `goesOn` says no; false when it gave up: at most 40 times, and after
 * five failures in a row, with growing pauses.
 */
export async function follow(
  host: Host,
  actionId: string,
  goesOn: (answer: Answer) => boolean,
): Promise<boolean> {
  let failures = 0;
  for (let look = 0; look < MAX_LOOKS; look += 1) {
    await seen();
    const began = now();
    const answer = await host.call('lookupActionById', { actionId, waitS: WAIT_S });
    failures = answer.isError ? failures + 1 : 0;
    if (failures === MAX_FAILURES) return false;
    if (!answer.isError && !goesOn(answer)) return true;
    await pause(Math.max(0, PAUSE_MS * 2 ** failures - (now() - began)));
  }
  return false;
}
