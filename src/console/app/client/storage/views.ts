import { computed } from '@preact/signals';

import { storedOfPerson, storeOfPerson } from './stored.ts';

/** What a list was narrowed to and its order, under a name: the query of its address without a page. */
export type View = { name: string; query: string };

/** Of one list. */
const MOST_VIEWS = 20;
/** Parameters that are a place in the list, or something else than the list. */
const PLACES = ['page', 'after', 'back'];

/** Views by the path of their list. */
const all = computed((): Readonly<Record<string, readonly View[]>> => {
  try {
    const given: unknown = JSON.parse(storedOfPerson('views') || '{}');
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
  Object.hasOwn(all.value, path) ? (all.value[path] ?? []) : [];

/** The query of an address as a view has it, whatever the order of its parameters. */
export function viewQuery(given: URLSearchParams): string {
  const is = new URLSearchParams(given);
  for (const name of PLACES) is.delete(name);
  is.sort();
  return is.toString();
}

/** Saves a view; one of the same name is replaced, and of too many the first goes. False where the browser cannot store it. */
export function saveView(path: string, view: View): boolean {
  const others = viewsOf(path).filter(({ name }) => name !== view.name);
  return storeViews(path, [...others.slice(Math.max(0, others.length + 1 - MOST_VIEWS)), view]);
}

/** Deletes a view; false where the browser cannot store that. */
export const forgetView = (path: string, view: View): boolean =>
  storeViews(
    path,
    viewsOf(path).filter(({ name }) => name !== view.name),
  );

const storeViews = (path: string, views: readonly View[]): boolean =>
  storeOfPerson('views', JSON.stringify({ ...all.value, [path]: views }));
