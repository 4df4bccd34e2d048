import { computed, signal } from '@preact/signals';

import { forget } from '../client/ask.ts';
import { call, onSessionEnded, useProof } from '../client/call.ts';
import { type Failure, failureOf, Refused } from '../client/failure.ts';
import type { Schemas } from '../client/operations.ts';

export type Session = Schemas['BrowserSession'];

/** `unknown` until the server answered; `none` without a login, with what ended it. */
export type Standing =
  | { is: 'unknown'; failure: Failure | null }
  | { is: 'none'; isEnded: boolean }
  | { is: 'here'; session: Session };

export const standing = signal<Standing>(
  document.documentElement.dataset['session'] === 'none'
    ? { is: 'none', isEnded: false }
    : { is: 'unknown', failure: null },
);

/** The session; null without one. */
export const session = computed(() =>
  standing.value.is === 'here' ? standing.value.session : null,
);

/** Whether the person's permissions hold `code`, e.g. `svc-center-manager:device:list`, or its beginning. */
export function may(code: string): boolean {
  const codes = session.value?.permissions ?? [];
  return codes.includes('*') || codes.includes(code);
}

/** Other pages of this browser hear of a login and of its end. */
const others = new BroadcastChannel('svc-session');

function enter(given: Session): void {
  useProof(given.proof);
  standing.value = { is: 'here', session: given };
}

function leave(isEnded: boolean): void {
  useProof(null);
  forget();
  if (standing.value.is !== 'none') standing.value = { is: 'none', isEnded };
}

/** Asks whether the cookie of this browser is a session. Never rejects. */
export async function restore(): Promise<void> {
  try {
    enter(await call('GET /auth/session/current', {}));
  } catch (error) {
    if (error instanceof Refused && error.status === 401) leave(false);
    else standing.value = { is: 'unknown', failure: failureOf(error) };
  }
}

/** Logs in; throws Refused and Unreachable. */
export async function begin(tenant: string, name: string, password: string): Promise<void> {
  forget();
  enter(await call('POST /auth/session/begin', { tenant, name, password }));
  others.postMessage('begun');
}

/** Ends every session and token of the person in this tenant; throws Unreachable. */
export async function end(): Promise<void> {
  try {
    await call('POST /auth/session/end', {});
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  leave(false);
  others.postMessage('ended');
}

/** The session is over: another page, another person or its time ended it. */
export function ended(): void {
  if (standing.value.is !== 'here') return;
  leave(true);
  others.postMessage('ended');
}

onSessionEnded(ended);
others.addEventListener('message', ({ data }) => {
  if (data === 'ended') leave(standing.value.is === 'here');
  else if (standing.value.is === 'none') void restore();
});
