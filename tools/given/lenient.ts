import { z } from 'zod';

import { isMembers, unwrapped } from '../../src/kernel/input/absent.ts';
import { acceptedName, wrappedIn } from './keys.ts';
import { bare, isEmptyWord, isNothing, isVerbatim, jsonIn, scalarIn } from './spelled.ts';

/** What a model meant, and the arguments that were read otherwise than they were given. */
export type Lenient = { input: unknown; readAs: string[] };

/** Arguments that an answer names. */
const MOST = 10;

/**
 * The arguments of a tool as models really send them, in the types of its schema: numbers, booleans, lists and objects in a
 * text, lengths of time with their unit, one where a list is asked for and a list of one where one is, names of fields and of an
 * enumeration in another spelling; null, and an empty text or list that the schema refuses, are arguments left out. A text where the
 * schema takes a text stays as it is, so the value of a write is read by the type of its point alone. What cannot be read
 * stays, and the schema refuses it.
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
  const accepted = Object.keys(shape);
  const [wrapper, inner] = at === '' ? (wrappedIn(members, accepted) ?? []) : [];
  if (wrapper !== undefined) {
    note(wrapper, 'as the arguments');
    return objectIn(schema, inner ?? {}, '', note);
  }
  // Entries, not assignments: a call may have a member named `__proto__`.
  return Object.fromEntries(
    Object.entries(members).flatMap(([key, value]): [string, unknown][] => {
      const name = nameOf(key, members, accepted);
      const field = name === null ? undefined : shape[name];
      if (name === null || !(field instanceof z.ZodType)) return [[key, value]];
      const path = at === '' ? key : `${at}.${key}`;
      if (isAbsent(field, value, at)) {
        note(path, 'left out');
        return [];
      }
      if (name !== key) note(path, `as ${name}`);
      return [[name, valueIn(field, value, { name, at: path }, note)]];
    }),
  );
}

/** The field that a key means, unless the call has that as well, or two keys mean it. */
function nameOf(key: string, members: object, accepted: readonly string[]): string | null {
  if (accepted.includes(key)) return key;
  const name = acceptedName(key, accepted);
  if (name === null || Object.hasOwn(members, name)) return null;
  const alike = Object.keys(members).filter((one) => acceptedName(one, accepted) === name);
  return alike.length === 1 ? name : null;
}

/** Whether this stands for no argument, in a place that may have none; a word that the field takes only beside the other arguments. */
function isAbsent(field: z.ZodType, value: unknown, at: string): boolean {
  const isEmpty =
    typeof value === 'string' ? isEmptyWord(value) : Array.isArray(value) && value.length === 0;
  if (!isEmpty && !isNothing(value)) return false;
  if (!field.safeParse(undefined).success) return false;
  if (!field.safeParse(value).success) return true;
  return value !== null && at === '' && isNothing(value) && !isVerbatim(unwrapped(field));
}

/** The field as the schema names it, and where the call has it. */
type Place = { name: string; at: string };

function valueIn(field: z.ZodType, given: unknown, place: Place, note: Note): unknown {
  const { name, at } = place;
  const type = unwrapped(field);
  if (type instanceof z.ZodObject) return objectIn(type, given, at, note);
  if (type instanceof z.ZodArray) return listIn(type, given, place, note);
  const value = onlyOf(type, given);
  const read = readIn(field, type, value, name);
  if (read === given) return given;
  note(at, JSON.stringify(read).slice(0, 80));
  return read;
}

/** The one text or number of a list, where a field takes one: not the value of a write, which may be of any type. */
function onlyOf(type: unknown, given: unknown): unknown {
  const takesOne = (type instanceof z.ZodUnion ? type.options : [type]).every(isOneOfText);
  const list = typeof given === 'string' ? jsonIn(given, Array.isArray) : given;
  if (!takesOne || !Array.isArray(list) || list.length !== 1) return given;
  const only: unknown = list[0];
  return typeof only === 'string' || typeof only === 'number' ? only : given;
}

const isOneOfText = (type: unknown): boolean =>
  type instanceof z.ZodString || type instanceof z.ZodNumber || type instanceof z.ZodEnum;

function readIn(field: z.ZodType, type: unknown, value: unknown, name: string): unknown {
  if (typeof value !== 'string' && typeof value !== 'number') return value;
  if (type instanceof z.ZodNumber && typeof value === 'number') return value;
  const read = scalarIn(type, value, name);
  if (read !== undefined) return read;
  // A cursor, or the name of a state, with signs around it.
  if (typeof value !== 'string' || bare(value) === value) return value;
  return !field.safeParse(value).success && field.safeParse(bare(value)).success
    ? bare(value)
    : value;
}

function listIn({ element }: z.ZodArray, given: unknown, { name, at }: Place, note: Note): unknown {
  if (!(element instanceof z.ZodType)) return given;
  const list = Array.isArray(given) ? given : (listOf(element, given) ?? [given]);
  if (list !== given) note(at, 'as a list');
  return list.map((item, index) => valueIn(element, item, { name, at: `${at}.${index}` }, note));
}

/** A list in a text: JSON, or with commas where its items have none. */
function listOf(element: z.ZodType, given: unknown): unknown[] | null {
  if (typeof given !== 'string') return null;
  const list = jsonIn(given, Array.isArray);
  if (list) return list;
  const isPlain = unwrapped(element) instanceof z.ZodEnum || /^\d+(?:\s*,\s*\d+)+$/.test(given);
  return isPlain && given.includes(',') ? given.split(',').map((item) => item.trim()) : null;
}
