import { setTimeout as sleep } from 'node:timers/promises';

import type { Request, Token } from './load.ts';
import type { Server } from './server.ts';

/** Longer than anything about a caller is remembered without being asked again. */
const SILENCE_MS = 2_100;

/** The token of the caller that never pauses, and those of the others. */
export function callersOf({ tokens }: Server) {
  const [busy = null, ...silent] = tokens;
  return { busy, silent };
}

/** The calls of one caller, one after the other. */
export const calls = (token: Token, count: number): Token[] =>
  Array.from({ length: count }, () => token);

/**
 * The silent callers after a silence. Before it each calls once unmeasured: what is done for a caller once a
 * minute or when it is new (its last use is noted, its permissions are loaded) is no part of a call after
 * seconds of silence.
 */
export async function afterSilence(server: Server, request: Request): Promise<readonly Token[]> {
  const { silent } = callersOf(server);
  await server.measure(request, silent);
  await sleep(SILENCE_MS);
  return silent;
}
