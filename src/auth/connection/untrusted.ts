import { z } from 'zod';

import type { Untrusted, UntrustedText } from '../../kernel/app/app.ts';
import { isFree, NAME_WORDS, quotationsIn } from '../../kernel/sentence/free-text.ts';

/**
 * Of a text that others wrote: how many words leave it a name; `quoted`: a sentence of the platform, of which only the
 * quotations are of others; `any`: JSON of others, its keys and texts.
 */
type Mark = { words: number | 'quoted' | 'any'; names?: 'device' | 'point' };

/** The texts of devices and users in answers; the schema of a field enters its own. */
export const untrusted = z.registry<Mark>();

/** A sentence or address that the platform makes; what it has from others is in quotation marks. */
export function madeByPlatform<S extends z.ZodType>(schema: S): S {
  untrusted.add(schema, { words: 'quoted' });
  return schema;
}

/** A name that others gave, under a field that has other meanings elsewhere. */
export function nameOfOthers<S extends z.ZodType>(schema: S): S {
  untrusted.add(schema, { words: NAME_WORDS });
  return schema;
}

const declaredByDrivers = new WeakSet<z.core.$ZodType>();

/** Records that drivers declare with `creatorId` 0, in the words of their program, and that users may add. */
export function declarable<S extends z.ZodType>(schema: S): S {
  declaredByDrivers.add(schema);
  return schema;
}

/** Marks of fields that have the same meaning under their name in every answer of a door. */
export type MarksByName = Readonly<Record<string, Mark>>;

type Marked = { kind: 'text'; mark: Mark };

/** Where an answer has texts of others. */
type Form =
  | Marked
  | { kind: 'fields'; fields: [string, Form][]; isDeclarable: boolean }
  | { kind: 'list'; item: Form }
  | { kind: 'tuple'; items: (Form | null)[]; names: number[] }
  | { kind: 'values'; value: Form }
  | { kind: 'either'; forms: Form[] };

/** Wrappers that say nothing of what they hold. */
const isWrapper = (schema: z.core.$ZodType) =>
  schema instanceof z.ZodOptional ||
  schema instanceof z.ZodNullable ||
  schema instanceof z.ZodDefault;

type Given = { byName: MarksByName; name: string; above: readonly z.core.$ZodType[] };

function formOf(schema: z.core.$ZodType, given: Given): Form | null {
  const { byName, name, above } = given;
  const mark = untrusted.get(schema);
  if (mark) return { kind: 'text', mark };
  const named = namedAs(byName, name);
  if (named?.mark.words === 'any') return named;
  // A schema within itself; the field that holds it is marked as a whole.
  if (above.includes(schema)) return null;
  const below = (inner: z.core.$ZodType, its = name) =>
    formOf(inner, { byName, name: its, above: [...above, schema] });
  if (schema instanceof z.ZodObject) {
    const shape = Object.entries<z.core.$ZodType>(schema.shape);
    const fields = shape.flatMap(([key, field]) => fieldOf(key, below(field, key)));
    return some(fields, declaredByDrivers.has(schema));
  }
  if (schema instanceof z.ZodArray) return listOf(below(schema.element));
  if (schema instanceof z.ZodTuple) return tupleOf(schema.def.items, (item) => below(item));
  if (schema instanceof z.ZodRecord) {
    const value = below(schema.valueType);
    return value && { kind: 'values', value };
  }
  if (schema instanceof z.ZodUnion) return either(schema.options.map((one) => below(one)));
  if (schema instanceof z.ZodPipe) return below(schema.out);
  if (isWrapper(schema)) return below(schema.unwrap());
  if (schema instanceof z.ZodString || schema instanceof z.ZodUnknown) return named;
  return null;
}

function namedAs(byName: MarksByName, name: string): Marked | null {
  const mark = Object.hasOwn(byName, name) ? byName[name] : undefined;
  return mark ? { kind: 'text', mark } : null;
}

const fieldOf = (name: string, form: Form | null): [string, Form][] => (form ? [[name, form]] : []);

const listOf = (item: Form | null): Form | null => item && { kind: 'list', item };

function tupleOf(
  schemas: readonly z.core.$ZodType[],
  formOfItem: (schema: z.core.$ZodType) => Form | null,
): Form | null {
  const items = schemas.map(formOfItem);
  const names = schemas.flatMap((one, at) => (untrusted.get(one)?.names ? [at] : []));
  return items.some(Boolean) ? { kind: 'tuple', items, names } : null;
}

function either(forms: readonly (Form | null)[]): Form | null {
  const found = forms.filter((form) => form !== null);
  return found.length > 0 ? { kind: 'either', forms: found } : null;
}

const some = (fields: [string, Form][], isDeclarable: boolean): Form | null =>
  fields.length > 0 ? { kind: 'fields', fields, isDeclarable } : null;

/** Which fields of an answer devices and users write, as `records[].deviceName`; and the texts in one answer. */
export function untrustedIn(schema: z.ZodType, byName: MarksByName = {}): Untrusted {
  const form = formOf(schema, { byName, name: '', above: [] });
  return {
    fields: form ? [...new Set(pathsOf(form, ''))] : [],
    texts: (answer) => (form ? [...textsOf(form, answer, { path: '', of: '' })] : []),
  };
}

function pathsOf(form: Form, path: string): string[] {
  if (form.kind === 'text') return [path];
  if (form.kind === 'list') return pathsOf(form.item, `${path}[]`);
  if (form.kind === 'values') return pathsOf(form.value, below(path, '*'));
  if (form.kind === 'either') return form.forms.flatMap((one) => pathsOf(one, path));
  if (form.kind === 'tuple')
    return form.items.flatMap((item, at) => (item ? pathsOf(item, `${path}[${at}]`) : []));
  return form.fields.flatMap(([name, field]) => pathsOf(field, below(path, name)));
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

type Place = { path: string; of: string };

function* textsOf(form: Form, value: unknown, place: Place): Generator<UntrustedText> {
  if (form.kind === 'text') {
    for (const text of partsOf(form.mark, value))
      yield { field: place.path, of: place.of, text, isFree: isFree(text, wordsOf(form.mark)) };
    return;
  }
  for (const [inner, its, at] of within(form, value, place)) yield* textsOf(inner, its, at);
}

type Within = readonly [form: Form, value: unknown, place: Place];

/** The values in a value, each with its form and its place. */
function within(form: Exclude<Form, Marked>, value: unknown, place: Place): Within[] {
  if (form.kind === 'either') return form.forms.map((one): Within => [one, value, place]);
  if (form.kind === 'list' || form.kind === 'tuple')
    return Array.isArray(value) ? withinList(form, value, place) : [];
  if (!isRecord(value)) return [];
  if (form.kind === 'values') {
    const at = { ...place, path: below(place.path, '*') };
    return Object.values(value).map((one): Within => [form.value, one, at]);
  }
  if (form.isDeclarable && value['creatorId'] === '0') return [];
  const of = subjectOf(value) || place.of;
  return form.fields.map(([name, field]): Within => [
    field,
    value[name],
    { path: below(place.path, name), of },
  ]);
}

function withinList(
  form: Extract<Form, { kind: 'list' | 'tuple' }>,
  value: readonly unknown[],
  place: Place,
): Within[] {
  if (form.kind === 'list') {
    const at = { ...place, path: `${place.path}[]` };
    return value.map((item): Within => [form.item, item, at]);
  }
  const of = form.names.map((at): unknown => value[at]).join(' · ') || place.of;
  return form.items.flatMap((item, at): Within[] =>
    item ? [[item, value[at], { path: `${place.path}[${at}]`, of }]] : [],
  );
}

const wordsOf = ({ words }: Mark): number => (typeof words === 'number' ? words : NAME_WORDS);

/** In the log of changes, where other rows have a name: of a write its authors, of several writes the list of them. */
const SENTENCE =
  /^(?:“[^”]*” proposed, “[^”]*” confirmed|\d+ writes: “[^”]*” · [^“”]{0,40}(?:“[^”]*”[^“”]{0,40})*)$/;

/** What of a field others wrote. */
function partsOf({ words }: Mark, value: unknown): string[] {
  if (words === 'any') return [...wordsIn(value, 0)];
  if (typeof value !== 'string') return [];
  return words === 'quoted' || SENTENCE.test(value) ? quotationsIn(value) : textsIn(value);
}

const MAX_DEPTH = 16;

function* wordsIn(value: unknown, depth: number): Generator<string> {
  if (typeof value === 'string') yield* textsIn(value);
  else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
    for (const [key, one] of Object.entries(value)) {
      if (!Array.isArray(value)) yield key;
      yield* wordsIn(one, depth + 1);
    }
}

/** A text, or of one in JSON its keys and texts: the signs of JSON are no sentences. */
function textsIn(text: string): string[] {
  if (!/^[[{]/.test(text)) return [text];
  try {
    return [...wordsIn(JSON.parse(text), 0)];
  } catch {
    return [text];
  }
}

/** Names of persons say nothing of what a record is about. */
const OF_PERSONS = /^(?:creator|operator|user|owner|by|from|to)Name$/;

/** The device and point that a record is about, else its own name. */
function subjectOf(record: Record<string, unknown>): string {
  const device = record['deviceName'] ?? record['device'];
  const point = record['pointName'] ?? record['point'];
  const place = [device, point].filter((name) => typeof name === 'string').join(' · ');
  if (place !== '') return place;
  for (const [key, name] of Object.entries(record))
    if (typeof name === 'string' && key.endsWith('Name') && !OF_PERSONS.test(key)) return name;
  return '';
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
