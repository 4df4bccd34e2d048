import { z } from 'zod';

import type { UntrustedText } from '../../src/app.ts';
import { isFree, NAME_WORDS, quotationsIn } from '../../src/core/sentence/free-text.ts';

/** Of a text that others wrote: how many words leave it a name, or that only its quotations are of others. */
type Mark = { words: number | 'quoted' };

/** The texts of devices and users in answers; `Shown`, `Reported` and `Phrase` enter theirs. */
export const untrusted = z.registry<Mark>();

/** Where an answer has texts of others. */
type Form =
  | { kind: 'text'; mark: Mark }
  | { kind: 'fields'; fields: [string, Form][] }
  | { kind: 'list'; item: Form }
  | { kind: 'tuple'; items: (Form | null)[] }
  | { kind: 'either'; forms: Form[] };

function formOf(schema: z.core.$ZodType): Form | null {
  const mark = untrusted.get(schema);
  if (mark) return { kind: 'text', mark };
  if (schema instanceof z.ZodObject)
    return some('fields', Object.entries<z.core.$ZodType>(schema.shape).flatMap(fieldOf));
  if (schema instanceof z.ZodArray) return listOf(schema.element);
  if (schema instanceof z.ZodTuple) {
    const items = schema.def.items.map(formOf);
    return items.some(Boolean) ? { kind: 'tuple', items } : null;
  }
  if (schema instanceof z.ZodUnion) return either(schema.options.map(formOf));
  if (schema instanceof z.ZodPipe) return formOf(schema.out);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    return formOf(schema.unwrap());
  return null;
}

function fieldOf([name, schema]: [string, z.core.$ZodType]): [string, Form][] {
  const form = formOf(schema);
  return form ? [[name, form]] : [];
}

function listOf(schema: z.core.$ZodType): Form | null {
  const item = formOf(schema);
  return item && { kind: 'list', item };
}

function either(forms: readonly (Form | null)[]): Form | null {
  const found = forms.filter((form) => form !== null);
  return found.length > 0 ? { kind: 'either', forms: found } : null;
}

const some = (kind: 'fields', fields: [string, Form][]): Form | null =>
  fields.length > 0 ? { kind, fields } : null;

/** Which fields of an answer devices and users write, as `records[].deviceName`; and the texts in one answer. */
export function untrustedIn(schema: z.ZodType): {
  fields: readonly string[];
  texts(answer: Record<string, unknown>): UntrustedText[];
} {
  const form = formOf(schema);
  return {
    fields: form ? [...new Set(pathsOf(form, ''))] : [],
    texts: (answer) => (form ? [...textsOf(form, answer, { path: '', of: '' })] : []),
  };
}

function pathsOf(form: Form, path: string): string[] {
  if (form.kind === 'text') return [path];
  if (form.kind === 'list') return pathsOf(form.item, `${path}[]`);
  if (form.kind === 'either') return form.forms.flatMap((one) => pathsOf(one, path));
  if (form.kind === 'tuple')
    return form.items.flatMap((item, at) => (item ? pathsOf(item, `${path}[${at}]`) : []));
  return form.fields.flatMap(([name, field]) => pathsOf(field, below(path, name)));
}

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`);

type Place = { path: string; of: string };

function* textsOf(form: Form, value: unknown, place: Place): Generator<UntrustedText> {
  if (form.kind === 'either') {
    for (const one of form.forms) yield* textsOf(one, value, place);
  } else if (form.kind === 'list') {
    if (!Array.isArray(value)) return;
    for (const item of value)
      yield* textsOf(form.item, item, { ...place, path: `${place.path}[]` });
  } else if (form.kind === 'tuple') {
    if (!Array.isArray(value)) return;
    for (const [at, item] of form.items.entries())
      if (item) yield* textsOf(item, value[at], { ...place, path: `${place.path}[${at}]` });
  } else if (form.kind === 'fields') {
    if (!isRecord(value)) return;
    const of = subjectOf(value) || place.of;
    for (const [name, field] of form.fields)
      yield* textsOf(field, value[name], { path: below(place.path, name), of });
  } else if (typeof value === 'string') {
    const { words } = form.mark;
    const parts = words === 'quoted' ? quotationsIn(value) : [value];
    const most = words === 'quoted' ? NAME_WORDS : words;
    for (const text of parts)
      yield { field: place.path, of: place.of, text, isFree: isFree(text, most) };
  }
}

/** The device and point that a record is about. */
function subjectOf(record: Record<string, unknown>): string {
  const device = record['deviceName'] ?? record['device'];
  const point = record['pointName'] ?? record['point'];
  return [device, point].filter((name) => typeof name === 'string').join(' · ');
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
