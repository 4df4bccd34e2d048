/** A JSON value that a rule changes. */
export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Path = readonly (string | number)[];

/** What a field may hold in place of what its dialect says, by name. */
const ODD: readonly (readonly [string, Json])[] = [
  ['null', null],
  ['an empty text', ''],
  ['an empty list', []],
  ['an empty object', {}],
  ['a list', ['odd']],
  ['a list of an empty object', [{}]],
  ['an object', { odd: 1 }],
  ['a number', 42],
  ['a text', 'odd'],
  ['true', true],
];

type Holder = Map<string | number, Json>;
type Change = (holder: Holder, key: string | number) => void;

/** `given` with the field at `path` changed; a path that leads nowhere changes nothing. */
export function changedAt(given: Json, path: Path, change: Change): Json {
  const [key, ...rest] = path;
  if (key === undefined || typeof given !== 'object' || given === null) return given;
  const entries: Holder = new Map<string | number, Json>(
    Array.isArray(given) ? [...given.entries()] : Object.entries(given),
  );
  const held = entries.get(key);
  if (rest.length === 0) change(entries, key);
  else if (held !== undefined) entries.set(key, changedAt(held, rest, change));
  return Array.isArray(given) ? [...entries.values()] : Object.fromEntries(entries);
}

export const putAt = (given: Json, path: Path, value: Json): Json =>
  changedAt(given, path, (holder, key) => void holder.set(key, value));

/** The forms of one field: absent, each odd value, and its name in capitals. */
export type OddForm = { form: string; change: Change; isRenamed: boolean };
export const oddForms: readonly OddForm[] = [
  { form: 'absent', change: (holder, key) => void holder.delete(key), isRenamed: false },
  ...ODD.map(([form, value]) => ({
    form,
    change: (holder: Holder, key: string | number) => void holder.set(key, value),
    isRenamed: false,
  })),
  {
    form: 'in capitals',
    change(holder, key) {
      const held = holder.get(key);
      holder.delete(key);
      if (held !== undefined) holder.set(String(key).toUpperCase(), held);
    },
    isRenamed: true,
  },
];

export const nameOf = (path: Path): string =>
  path
    .map((key) => (typeof key === 'number' ? `[${key}]` : `.${key}`))
    .join('')
    .slice(1);

/** An object of the fields that are there. */
export const named = (given: Record<string, Json | undefined>): { [name: string]: Json } =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
