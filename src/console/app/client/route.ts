import { computed, signal } from '@preact/signals';

import { leave, unsaved } from './unsaved.ts';

/** Where the pages are below the host. */
const BASE = '/console';

const here = (): { path: string; query: URLSearchParams } => ({
  path: location.pathname.slice(BASE.length) || '/',
  query: new URLSearchParams(location.search),
});

const place = signal(here());
/** Which entry of this page's history is shown: by it Back is undone until the person agrees to it. */
let step = stepOf(history.state) ?? 0;
let isUndoing = false;

function stepOf(state: unknown): number | null {
  const is = typeof state === 'object' && state !== null && 'step' in state;
  return is && typeof state.step === 'number' ? state.step : null;
}

globalThis.addEventListener('popstate', ({ state }) => {
  const by = (stepOf(state) ?? 0) - step;
  const isHeld = !isUndoing && by !== 0 && unsaved() > 0 && here().path !== path.peek();
  isUndoing = false;
  if (isHeld) {
    isUndoing = true;
    history.go(-by);
    leave(() => history.go(by));
    return;
  }
  step += by;
  place.value = here();
});

/** Path below `/console`, e.g. `/devices/7`. */
export const path = computed(() => place.value.path);
export const query = computed(() => place.value.query);

export const hrefOf = (to: string): string => (to === '/' ? BASE : `${BASE}${to}`);

/** Goes to a page, e.g. `/devices/7?tab=trend`; `replace`: the address before cannot be gone back to. */
export function navigate(to: string, { replace = false } = {}): void {
  const before = path.value;
  if (!replace) step += 1;
  history[replace ? 'replaceState' : 'pushState']({ step }, '', hrefOf(to));
  place.value = here();
  if (path.value !== before) globalThis.scrollTo(0, 0);
}

/** Sets or (with null) takes away parameters of the address, so that the view can be shared and gone back to. */
export function setQuery(changes: Record<string, string | null>, replace = true): void {
  const next = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes))
    if (value === null || value === '') next.delete(name);
    else next.set(name, value);
  const text = next.toString();
  navigate(`${path.value}${text === '' ? '' : `?${text}`}`, { replace });
}

export type Parameters = Record<string, string>;

/** The parts of a path that a pattern such as `/devices/:id` names; null where it does not match. */
export function matched(pattern: string, given: string): Parameters | null {
  const wanted = pattern.split('/');
  const parts = given.replace(/\/$/, '').split('/');
  if (given !== '/' && wanted.length !== parts.length) return null;
  if (given === '/') return pattern === '/' ? {} : null;
  const found: Parameters = {};
  for (const [index, part] of wanted.entries()) {
    const text = parts[index] ?? '';
    if (part.startsWith(':')) found[part.slice(1)] = decoded(text);
    else if (part !== text) return null;
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
