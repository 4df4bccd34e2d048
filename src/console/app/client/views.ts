import { computed, signal } from '@preact/signals';

import { holder } from './session.ts';

/** What a list was narrowed to and its order, under a name: the query of its address without a page. */
export type View = { name: string; query: string };

/** Of one list. */
const MOST_VIEWS = 20;
/** Parameters that are a place in the list, or something else than the list. */
const PLACES = ['page', 'after', 'back'];

const kept = signal(0);

/** Kept in this browser alone, for each person of each tenant; the API has no place for the settings of a person. */
const place = (): string | null =>
  holder.value && `svc-views ${holder.value.tenant.tenantCode} ${holder.value.person.loginName}`;

/** Views by the path of their list. */
const stored = computed((): Readonly<Record<string, readonly View[]>> => {
  const at = kept.value >= 0 ? place() : null;
  try {
    const given: unknown = JSON.parse((at !== null && localStorage.getItem(at)) || '{}');
    return Object.fromEntries(
      Object.entries(given ?? {}).map(([path, views]) => [
        path,
        (Array.isArray(views) ? views : []).filter(isView),
      ]),
    );
  } catch {
    return {};
  }
});

const isView = (given: unknown): given is View =>
  typeof given === 'object' &&
  given !== null &&
  'name' in given &&
  'query' in given &&
  typeof given.name === 'string' &&
  typeof given.query === 'string';

/** The views of a list, as they were saved. */
export const viewsOf = (path: string): readonly View[] =>
  Object.hasOwn(stored.value, path) ? (stored.value[path] ?? []) : [];

/** The query of an address as a view has it, whatever the order of its parameters. */
export function viewQuery(given: URLSearchParams): string {
  const is = new URLSearchParams(given);
  for (const name of PLACES) is.delete(name);
  is.sort();
  return is.toString();
}

/** Saves a view; one of the same name is replaced, and of too many the first goes. */
export function saveView(path: string, view: View): void {
  const others = viewsOf(path).filter(({ name }) => name !== view.name);
  keep(path, [...others.slice(Math.max(0, others.length + 1 - MOST_VIEWS)), view]);
}

export const forgetView = (path: string, view: View): void =>
  keep(
    path,
    viewsOf(path).filter(({ name }) => name !== view.name),
  );

function keep(path: string, views: readonly View[]): void {
  const at = place();
  if (at === null) return;
  localStorage.setItem(at, JSON.stringify({ ...stored.value, [path]: views }));
  kept.value += 1;
}
