import { z } from 'zod';

import { isMembers, unwrapped } from '../../src/kernel/input/absent.ts';

/** What a model meant, and the arguments that were read otherwise than they were given. */
export type Lenient = { input: unknown; readAs: string[] };

const NUMBER = /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i;
/** Arguments that an answer names. */
const MOST = 10;

/**
 * The arguments of a tool as models really send them, in the types of its schema: numbers, booleans, lists and objects in a
 * text, one where a list is asked for, names of an enumeration in another case; null, and an empty text that the
 * schema refuses, are arguments left out. A text where the schema takes a text stays as it is, so the value of a write
 * is read by the type of its point alone. What cannot be read stays, and the schema refuses it.
 */
export function lenient(schema: z.ZodObject, given: unknown): Lenient {
  const readAs: string[] = [];
  const input = objectIn(schema, given ?? {}, '', (at, as) => {
    if (at !== '' && readAs.length < MOST) readAs.push(`${at}: ${as}`);
  });
  return { input, readAs };
}

type Note = (at: string, as: string) => void;

function objectIn(schema: z.ZodObject, given: unknown, at: string, note: Note): unknown {
  const members = typeof given === 'string' ? (jsonIn(given, isMembers) ?? given) : given;
  if (!isMembers(members)) return given;
  if (members !== given) note(at, 'as an object');
  const { shape } = schema;
  // Entries, not assignments: a call may have a member named `__proto__`.
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]): [string, unknown][] => {
      const field = Object.hasOwn(shape, key) ? shape[key] : undefined;
      if (!(field instanceof z.ZodType)) return [[key, value]];
      const path = at === '' ? key : `${at}.${key}`;
      if (isAbsent(field, value)) {
        note(path, 'left out');
        return [];
      }
      return [[key, valueIn(field, value, path, note)]];
    }),
  );
}

/** Whether this stands for no argument, in a place that may have none and does not take it. */
const isAbsent = (field: z.ZodType, value: unknown): boolean =>
  (value === null || value === '') &&
  !field.safeParse(value).success &&
  field.safeParse(undefined).success;

function valueIn(field: z.ZodType, value: unknown, at: string, note: Note): unknown {
  const bare = unwrapped(field);
  if (bare instanceof z.ZodObject) return objectIn(bare, value, at, note);
  if (bare instanceof z.ZodArray) return listIn(bare, value, at, note);
  if (typeof value !== 'string') return value;
  const read = scalarIn(bare, value.trim());
  if (read === undefined || read === value) return value;
  note(at, JSON.stringify(read));
  return read;
}

function listIn({ element }: z.ZodArray, value: unknown, at: string, note: Note): unknown {
  if (!(element instanceof z.ZodType)) return value;
  const list = Array.isArray(value)
    ? value
    : ((typeof value === 'string' ? jsonIn(value, Array.isArray) : null) ?? [value]);
  if (list !== value) note(at, 'as a list');
  return list.map((item, index) => valueIn(element, item, `${at}.${index}`, note));
}

/** What a text is in a type that is none; undefined where it is nothing of it. */
function scalarIn(bare: unknown, text: string): unknown {
  if (bare instanceof z.ZodNumber) return NUMBER.test(text) ? Number(text) : undefined;
  if (bare instanceof z.ZodBoolean) {
    const [is] = /^(?:true|false)$/i.exec(text) ?? [];
    return is === undefined ? undefined : is.toLowerCase() === 'true';
  }
  if (bare instanceof z.ZodEnum)
    return bare.options.find((option) => String(option).toLowerCase() === text.toLowerCase());
  return undefined;
}

function jsonIn<T>(text: string, isIt: (value: unknown) => value is T): T | null {
  try {
    const value: unknown = JSON.parse(text);
    return isIt(value) ? value : null;
  } catch {
    return null;
  }
}
