import { z } from 'zod';

import { isMembers, withoutNulls } from './absent.ts';
import { EnableFlag, flag } from './flag.ts';
import { Id } from './id.ts';
import { Text } from './text.ts';
import { isNear, unknownIn } from './unknown.ts';

/** Escapes in JSON that a jsonb column cannot keep: NUL and lone surrogates. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;
const MAX_EXT = 16_384;

/**
 * An extension object (docs/specification/objects.md, Common fields), parsed to JSON text for a jsonb
 * column.
 */
export const Ext = z
  .record(z.string(), z.unknown())
  .transform((ext, context) => {
    try {
      const text = JSON.stringify(ext);
      if (text.length <= MAX_EXT && !UNSTORABLE.test(text)) return text;
    } catch {
      // Nested too deep for JSON.stringify: refused like everything else that cannot be stored.
    }
    context.addIssue({ code: 'custom', message: 'must be a small object of storable text' });
    return z.NEVER;
  })
  .meta({ examples: [{ location: 'Hall 3' }] });

/** Fields that an add and an update of any entity accept. */
export const shared = {
  remark: Text(512).optional(),
  enableFlag: flag(EnableFlag).optional(),
};

/** A code that cannot be changed later: given, or generated when absent. */
export const GivenCode = Text(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9\-_#@/.|]{1,63}$/, 'must be 2 to 64 letters, digits or -_#@/.|')
  .optional();

export const camelKey = (key: string): string =>
  key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

/** Converts the snake_case spelling of query parameters (docs/specification/endpoints.md, Types). */
function camelKeys(raw: unknown): unknown {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) return raw;
  return Object.fromEntries(Object.entries(raw).map(([key, value]) => [camelKey(key), value]));
}

const members = (raw: unknown, shape: z.ZodRawShape) => {
  const given = camelKeys(raw);
  return isMembers(given) ? withoutNulls(shape, given) : given;
};

/**
 * The input of an operation: an object with keys in camel or snake case, or nothing for all defaults. A
 * null member counts as absent unless its schema takes null.
 */
export const input = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((raw) => members(raw, shape), z.object(shape));

/** As `input`, with no member that is not known: a filter that is mistyped would widen the answer. */
export const filters = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess((raw) => members(raw, shape), z.strictObject(shape));

/** Members of every body that clients send back, or add, without effect (docs/specification/objects.md, Common fields). */
const OF_CLIENTS = ['tenantId', 'signature', 'version', 'type'];
const isName = (key: string): boolean => key.endsWith('Name');

/**
 * As `input`, with no member at any depth that is not known: what is mistyped would be lost, and its meaning with it.
 * `answered` are the members of the answer, which clients send back, and beside them names of other things.
 */
export const exact = <S extends z.ZodRawShape>(shape: S, answered?: readonly string[]) => {
  const schema = z.object(shape);
  const names = Object.keys(shape).filter(isName);
  const sentBack = (key: string): boolean =>
    answered !== undefined &&
    (answered.includes(key) ||
      OF_CLIENTS.includes(key) ||
      (isName(key) && !names.some((name) => isNear(key, name))));
  return z.preprocess((raw, context) => {
    const given = members(raw, shape);
    for (const { path, message } of unknownIn(schema, given, sentBack))
      context.addIssue({ code: 'custom', path, message });
    return given;
  }, schema);
};

export const ById = input({ id: Id });
export type ById = z.infer<typeof ById>;

/** Ids that narrow a list. */
export const Several = z.array(Id).min(1).max(100);

/** `[1, 2]` as existing clients send it, or `{ids: [1, 2]}`. */
export const ByIds = z
  .union([z.array(Id).max(500), z.object({ ids: z.array(Id).max(500) })])
  .transform((given) => ({ ids: Array.isArray(given) ? given : given.ids }))
  .meta({ examples: [['7312', '7313']] });
export type ByIds = z.infer<typeof ByIds>;
