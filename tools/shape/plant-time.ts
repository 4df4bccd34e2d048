import { z } from 'zod';

import { untrusted } from '../../src/auth/connection/untrusted.ts';
import { UTC, fieldInZone, sentenceInZone } from '../../src/kernel/sentence/time-zone.ts';

type InZone = (value: unknown, zone: string) => unknown;

/**
 * Writes the times of an answer in the zone of the plant, which agents are promised: fields of the platform that are a
 * moment, and moments in its sentences. What devices and users write stays as it is.
 */
export function plantTimeIn(schema: z.ZodType): <T>(answer: T, zone: string | undefined) => T {
  const convert = convertIn(schema);
  return <T>(answer: T, zone: string = UTC): T =>
    convert === null ? answer : same(answer, convert(answer, zone));
}

/** A conversion keeps the type: texts become texts. */
function same<T>(_before: T, after: unknown): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return after as T;
}

function convertIn(schema: z.core.$ZodType): InZone | null {
  const mark = untrusted.get(schema);
  if (mark) return mark.words === 'quoted' ? texts(sentenceInZone) : null;
  if (schema instanceof z.ZodObject) return fieldsOf(Object.entries<z.core.$ZodType>(schema.shape));
  if (schema instanceof z.ZodArray) return itemsOf(convertIn(schema.element));
  if (schema instanceof z.ZodTuple) return tupleOf(schema.def.items.map(convertIn));
  if (schema instanceof z.ZodRecord) return valuesOf(convertIn(schema.valueType));
  if (schema instanceof z.ZodUnion) return allOf(schema.options.map(convertIn));
  if (schema instanceof z.ZodPipe) return convertIn(schema.out);
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    return convertIn(schema.unwrap());
  return schema instanceof z.ZodString ? texts(fieldInZone) : null;
}

const texts =
  (write: (text: string, zone: string) => string): InZone =>
  (value, zone) =>
    typeof value === 'string' ? write(value, zone) : value;

function fieldsOf(shape: [string, z.core.$ZodType][]): InZone | null {
  const fields = shape.flatMap(([name, field]): [string, InZone][] => {
    const convert = convertIn(field);
    return convert ? [[name, convert]] : [];
  });
  if (fields.length === 0) return null;
  return (value, zone) => {
    if (!isRecord(value)) return value;
    const changed = { ...value };
    for (const [name, convert] of fields)
      if (Object.hasOwn(value, name)) changed[name] = convert(value[name], zone);
    return changed;
  };
}

const itemsOf = (item: InZone | null): InZone | null =>
  item && ((value, zone) => (Array.isArray(value) ? value.map((one) => item(one, zone)) : value));

const tupleOf = (items: readonly (InZone | null)[]): InZone | null =>
  items.some(Boolean)
    ? (value, zone) =>
        Array.isArray(value)
          ? value.map((one: unknown, at) => items[at]?.(one, zone) ?? one)
          : value
    : null;

const valuesOf = (convert: InZone | null): InZone | null =>
  convert &&
  ((value, zone) =>
    isRecord(value)
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, convert(one, zone)]))
      : value);

/** What one of them wrote is left alone by the others: it is in no zone of theirs. */
function allOf(options: readonly (InZone | null)[]): InZone | null {
  const found = options.filter((one) => one !== null);
  return found.length > 0
    ? (value, zone) => found.reduce<unknown>((changed, convert) => convert(changed, zone), value)
    : null;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
