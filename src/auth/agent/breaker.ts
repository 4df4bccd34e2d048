import { hash } from 'node:crypto';

import type { App, Caller, Tool } from '../../kernel/app/app.ts';
import { TooManyRequests } from '../../kernel/errors.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';

const WINDOW_MS = 60_000;
const MAX_KEPT = 5_000;
/** Characters of an answer that the refusal repeats. */
const GIST = 200;

/** Calls of a client with the same arguments that had the same answer. */
type Repeat = { answer: string; gist: string; times: number; sinceMs: number };

/** Of the calls of the last minute. */
const AGENT_REPEATS = slot((clock) => new TtlCache<Repeat>(clock, WINDOW_MS, MAX_KEPT));

/**
 * Throws TooManyRequests for a call that had the same answer as often as may be within a minute, until that minute is
 * over; else answers what is to be called with the text of its answer.
 */
export function refuseRepeated(
  app: App,
  caller: Caller,
  { name }: Pick<Tool, 'name'>,
  input: unknown,
): (answer: string) => void {
  const repeats = app.of(AGENT_REPEATS);
  const key = keyOf(caller, name, input);
  if (key === null) return () => {};
  const now = app.clock.now();
  const before = within(repeats.get(key), now);
  if (before && before.times >= app.config.agentRepeats) throw refusal(name, before, now);
  return (text) => {
    const at = app.clock.now();
    const answer = hash('sha256', text, 'base64url');
    const last = within(repeats.get(key), at);
    repeats.set(
      key,
      last?.answer === answer
        ? { ...last, times: last.times + 1 }
        : { answer, gist: text.slice(0, GIST).toWellFormed(), times: 1, sinceMs: at },
    );
  };
}

const within = (repeat: Repeat | undefined, now: number): Repeat | undefined =>
  repeat && now - repeat.sinceMs < WINDOW_MS ? repeat : undefined;

/** Each client has its own: what one has read is no news for another. */
function keyOf(
  { tenantId, principalId, clientId = '' }: Caller,
  name: string,
  input: unknown,
): string | null {
  try {
    const call = [tenantId, principalId, clientId, name, input];
    return hash('sha256', JSON.stringify(call), 'base64url');
  } catch {
    // Nested too deep for JSON.stringify: the tool refuses it.
    return null;
  }
}

function refusal(name: string, { times, gist, sinceMs }: Repeat, now: number): TooManyRequests {
  const seconds = Math.ceil((sinceMs + WINDOW_MS - now) / 1_000);
  return new TooManyRequests(
    `${name} with these arguments had the same answer ${times} times within a minute and is not run again for ` +
      `${seconds} s. To hear of news, use waitForEvents, or lookupActionById with waitS. The answer began: ${gist}`,
    seconds,
  );
}
