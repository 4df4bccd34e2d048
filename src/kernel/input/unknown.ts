import { z } from 'zod';

import { distance } from '../sentence/distance.ts';
import { nearest } from '../sentence/nearest.ts';
import { isMembers, unwrapped } from './absent.ts';

type Path = (string | number)[];
type Unknown = { path: Path; message: string };

/** What a refusal names; the rest is refused with the next request. */
const MOST = 20;
const MAX_SHOWN = 64;

/**
 * The members of a body that its schema does not know, at any depth, but for those that are null or among `sentBack`
 * (of the body itself). A union knows what any of its shapes knows.
 */
export function unknownIn(
  schema: z.ZodType,
  given: unknown,
  sentBack: (key: string) => boolean = () => false,
): Unknown[] {
  return unknowns([schema], given, [])
    .filter(({ path }) => path.length > 1 || !sentBack(String(path[0])))
    .take(MOST)
    .map(({ path, names }) => {
      const shown = path.map((key) => (typeof key === 'string' ? key.slice(0, MAX_SHOWN) : key));
      return { path: shown, message: refusalOf(String(shown.at(-1)), names) };
    })
    .toArray();
}

/** A stored body without the members that its schema does not know, which have no effect. */
export function withoutUnknown<T>(schema: z.ZodType, stored: T): T {
  const kept = structuredClone(stored);
  for (const { path } of unknowns([schema], stored, [])) {
    const holder = path.slice(0, -1).reduce<unknown>((at, key) => Object(at)[key], kept);
    Reflect.deleteProperty(Object(holder), path.at(-1) ?? '');
  }
  return kept;
}

function* unknowns(
  schemas: readonly unknown[],
  given: unknown,
  path: Path,
): Generator<{ path: Path; names: readonly string[] }> {
  const shapes = schemas.flatMap(shapesOf);
  if (Array.isArray(given)) {
    const elements = shapes.flatMap((shape) =>
      shape instanceof z.ZodArray ? [shape.element] : [],
    );
    for (const [at, item] of given.entries()) yield* unknowns(elements, item, [...path, at]);
  }
  const objects = shapes.filter((shape) => shape instanceof z.ZodObject);
  if (!isMembers(given) || objects.length === 0 || objects.some(takesAny)) return;
  const names = [...new Set(objects.flatMap(({ shape }) => Object.keys(shape)))];
  for (const [key, value] of Object.entries(given)) {
    const inside = objects.map(({ shape }) => shape[key]);
    if (names.includes(key)) yield* unknowns(inside, value, [...path, key]);
    else if (value !== null) yield { path: [...path, key], names };
  }
}

function shapesOf(schema: unknown): unknown[] {
  const bare = schema instanceof z.ZodType ? unwrapped(schema) : schema;
  return bare instanceof z.ZodUnion ? bare.options.flatMap(shapesOf) : [bare];
}

const takesAny = ({ def: { catchall } }: z.ZodObject): boolean =>
  catchall !== undefined && !(catchall instanceof z.ZodNever);

function refusalOf(key: string, names: readonly string[]): string {
  const near = nearest(key, names).find((name) => isNear(key, name));
  const known = near === undefined ? `known here: ${names.join(', ')}` : `did you mean “${near}”?`;
  return `“${key}” is not known; ${known}`;
}

/** Whether a name is a slip of the other, or a part of it. */
export function isNear(given: string, name: string): boolean {
  const [asked, known] = [given.toLowerCase(), name.toLowerCase()];
  const most = Math.floor(Math.min(asked.length, known.length) / 3);
  const isPart = known.length > 3 && (asked.includes(known) || known.includes(asked));
  return (isPart && asked.length > 3) || distance(asked, known, most) <= most;
}
