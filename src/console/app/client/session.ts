import { computed, signal } from '@preact/signals';

import { forget, renew } from './ask.ts';
import { call, onSessionEnded, useProof } from './call.ts';
import { type Failure, failureOf, Refused } from './failure.ts';
import type { Schemas } from './operations.ts';

export type Session = Schemas['BrowserSession'];

/**
 * `unknown` until the server answered; `none` without a login, with what ended it and, where time or another place did,
 * whose it was: the page keeps what was entered, for a new login of the same person.
 */
export type Standing =
  | { is: 'unknown'; failure: Failure | null }
  | { is: 'none'; isEnded: boolean; was: Session | null }
  | { is: 'here'; session: Session };

export const standing = signal<Standing>(
  document.documentElement.dataset['session'] === 'none'
    ? { is: 'none', isEnded: false, was: null }
    : { is: 'unknown', failure: null },
);

/** The session; null without one. */
export const session = computed(() =>
  standing.value.is === 'here' ? standing.value.session : null,
);

/** Whose pages these are, also while a session that ended waits for its person; null without one. */
export const holder = computed(() =>
  standing.value.is === 'none' ? standing.value.was : session.value,
);

/** Calls `drop` whenever the pages are no longer of the person that they were of: nothing entered is for another one. */
export function onOtherPerson(drop: () => void): void {
  let before: string | null = null;
  holder.subscribe((now) => {
    const next = now && `${now.tenant.tenantCode} ${now.person.loginName}`;
    if (before !== null && next !== before) drop();
    before = next;
  });
}

/** Whether the person's permissions hold `code`, e.g. `svc-center-manager:device:list`, or its beginning. */
export function may(code: string): boolean {
  const codes = holder.value?.permissions ?? [];
  return codes.includes('*') || codes.includes(code);
}

/** The tenant that the platform makes at its first start: its administrators see the others. */
const PLATFORM = 'default';

/** Whether these are the pages of a person of the platform's own tenant. */
export const isOfPlatform = (): boolean => holder.value?.tenant.tenantCode === PLATFORM;

/** Other pages of this browser hear of a login and of its end. */
const others = new BroadcastChannel('svc-session');

function enter(given: Session): void {
  useProof(given.proof);
  standing.value = { is: 'here', session: given };
  renew();
}

function leave(isEnded: boolean, was: Session | null = null): void {
  useProof(null);
  forget();
  if (standing.value.is !== 'none') standing.value = { is: 'none', isEnded, was };
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

const farewells = new Set<() => Promise<void>>();

/** `work` is done before a logout, with the session that ends; it must not reject. */
export const beforeEnd = (work: () => Promise<void>): void => void farewells.add(work);

/** Ends every session and token of the person in this tenant; throws Unreachable. */
export async function end(): Promise<void> {
  await Promise.all([...farewells].map((work) => work()));
  try {
    await call('POST /auth/session/end', {});
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
  }
  leave(false);
  others.postMessage('ended');
}

/** The session is over: its time, another place or an administrator ended it. */
export function ended(): void {
  if (standing.value.is !== 'here') return;
  leave(true, session.value);
  others.postMessage('over');
}

onSessionEnded(ended);
others.addEventListener('message', ({ data }) => {
  if (data === 'ended') leave(standing.value.is === 'here');
  else if (data === 'over') leave(true, session.value);
  else if (standing.value.is === 'none') void restore();
});
