import { setTimeout as sleep } from 'node:timers/promises';

import type { Request } from '../load.ts';
import type { Server } from '../server.ts';

/** Longer than anything about a caller is remembered without being asked again. */
const SILENCE_MS = 2_100;

/** The token of the caller that never pauses, and those of the others. */
export function callersOf({ tokens }: Server) {
  const [busy = null, ...silent] = tokens;
  if (silent.length === 0) throw new Error('no callers');
  return { busy, silent };
}

/**
 * Each silent caller calls once, after a silence. Before it all of them call once unmeasured: what is done
 * for a caller once a minute or when it is new (its last use is noted, its permissions are loaded) is no part
 * of a call after seconds of silence.
 */
export async function measureCold(server: Server, request: Request) {
  const { silent } = callersOf(server);
  await server.measure(request, silent);
  await sleep(SILENCE_MS);
  return server.measure(request, silent);
}
