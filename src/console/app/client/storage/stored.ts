import { signal } from '@preact/signals';

import { holder } from '../session.ts';

/** What this browser stores under a name; null where it stores nothing of that name, or must not be asked. */
export function stored(name: string): string | null {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
}

/** Stores a text in this browser; false where that cannot be: its storage is full, or forbidden for this site. */
export function store(name: string, text: string): boolean {
  try {
    localStorage.setItem(name, text);
    return true;
  } catch {
    return false;
  }
}

const writes = signal(0);

type What = 'favourites' | 'views';

/** The API has no place for the settings of a person: in this browser each person of each tenant has one. */
const placeOf = (what: What): string | null =>
  holder.value && `svc-${what} ${holder.value.tenant.tenantCode} ${holder.value.person.loginName}`;

/** Reads the favourites or views of the logged-in person from local storage; components that call it render again after each write. */
export function storedOfPerson(what: What): string | null {
  const place = writes.value >= 0 ? placeOf(what) : null;
  return place === null ? null : stored(place);
}

/** Writes the favourites or views of the logged-in person to local storage; false without a person, or if the browser refuses. */
export function storeOfPerson(what: What, text: string): boolean {
  const place = placeOf(what);
  if (place === null || !store(place, text)) return false;
  writes.value += 1;
  return true;
}
