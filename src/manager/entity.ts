import { type SelectQueryBuilder, sql } from 'kysely';
import { z } from 'zod';

import type { App, Caller } from '../app.ts';
import { AppError, Conflict } from '../core/errors.ts';
import { flag, nameOf } from '../core/flag.ts';
import { Id } from '../core/id.ts';
import { offset, type Page, type Paged, paged } from '../core/page.ts';
import { Text } from '../core/text.ts';

export const EnableFlag = { ENABLE: 0, DISABLE: 1 } as const;

/** What every entity of the manager center answers besides its own fields (BaseVO). */
export type Entity = {
  id: string;
  tenantId: string;
  enableFlag: keyof typeof EnableFlag;
  signature: string;
  version: number;
  remark: string;
  creatorId: string;
  creatorName: string;
  createTime: string;
  operatorId: string;
  operatorName: string;
  operateTime: string;
};

type EntityRow = Omit<Entity, 'enableFlag' | 'createTime' | 'operateTime'> & {
  enableFlag: number;
  createTime: Date;
  operateTime: Date;
};

export const entityOf = (row: EntityRow): Entity => ({
  id: row.id,
  tenantId: row.tenantId,
  enableFlag: nameOf(EnableFlag, row.enableFlag),
  signature: row.signature,
  version: row.version,
  remark: row.remark,
  creatorId: row.creatorId,
  creatorName: row.creatorName,
  createTime: row.createTime.toISOString(),
  operatorId: row.operatorId,
  operatorName: row.operatorName,
  operateTime: row.operateTime.toISOString(),
});

/** Escapes in JSON that a jsonb column cannot keep: NUL and lone surrogates. */
const UNSTORABLE = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;
const MAX_EXT = 16_384;

/** An extension object (reference/data-model.md 3.0), handed on as JSON text for a jsonb column. */
export const Ext = z.record(z.string(), z.unknown()).transform((ext, context) => {
  try {
    const text = JSON.stringify(ext);
    if (text.length <= MAX_EXT && !UNSTORABLE.test(text)) return text;
  } catch {
    // Nested deeper than the stack: refused like everything else that cannot be stored.
  }
  context.addIssue({ code: 'custom', message: 'must be a small object of storable text' });
  return z.NEVER;
});

/** Fields that an add and an update of any entity accept. */
export const shared = { remark: Text(512).optional(), enableFlag: flag(EnableFlag).optional() };

/** Optimistic locking: an update that names the version it was made from fails with 409 on another. */
export const Version = z.number().int().min(1).max(2_147_483_647).optional();

/** A code that stays: given, or made by the platform. */
export const GivenCode = Text(64)
  .regex(/^[A-Za-z0-9][A-Za-z0-9\-_#@/.|]{1,63}$/, 'must be 2 to 64 letters, digits or -_#@/.|')
  .optional();

/** Also takes the snake_case spelling in which the reference names query parameters. */
function camelKeys(raw: unknown): unknown {
  if (raw === undefined || raw === null) return {};
  if (typeof raw !== 'object' || Array.isArray(raw)) return raw;
  return Object.fromEntries(
    Object.entries(raw).map(([key, value]) => [
      key.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value,
    ]),
  );
}

/** The input of an operation: an object whose keys may be in snake case, or nothing for all defaults. */
export const input = <S extends z.ZodRawShape>(shape: S) =>
  z.preprocess(camelKeys, z.object(shape));

export const ById = input({ id: Id });
export type ById = z.infer<typeof ById>;

/** `[1, 2]` as the reference has it, or `{ids: [1, 2]}`. */
export const ByIds = z
  .union([z.array(Id).max(500), z.object({ ids: z.array(Id).max(500) })])
  .transform((given) => ({ ids: Array.isArray(given) ? given : given.ids }));
export type ByIds = z.infer<typeof ByIds>;

type Who = Pick<App, 'clock'>;

export const touched = (app: Who, { principalId, name }: Caller) => ({
  operatorId: principalId,
  operatorName: name,
  operateTime: new Date(app.clock.now()),
});

export const created = (app: Who, caller: Caller) => ({
  creatorId: caller.principalId,
  creatorName: caller.name,
  createTime: new Date(app.clock.now()),
  ...touched(app, caller),
});

export const nextVersion = sql<number>`version + 1`;

/** Throws Conflict when an update was made from a version that is not the current one. */
export function expectVersion(given: number | undefined, current: number): void {
  if (given !== undefined && given !== current)
    throw new Conflict('Changed by somebody else since', { version: current });
}

/** Turns the database's unique violation into Conflict (409): the name or code is taken. */
export async function unlessTaken<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof AppError || !isUniqueViolation(error)) throw error;
    const field = /_(code|name)_key$/.exec(error.constraint ?? '')?.[1];
    throw new Conflict(
      field ? `The ${what} ${field} is already taken` : `The ${what} already exists`,
    );
  }
}

function isUniqueViolation(error: unknown): error is Error & { constraint?: string } {
  return error instanceof Error && 'code' in error && error.code === '23505';
}

/** The pattern of a "contains" filter; what is special to LIKE is meant literally. */
export const contains = (text: string): string => `%${text.replace(/[\\%_]/g, '\\$&')}%`;

/** One page of a filtered query (newest first is the caller's order) and the total beside it. */
export async function pageOf<DB, TB extends keyof DB, O, T>(
  query: SelectQueryBuilder<DB, TB, O>,
  page: Page,
  answer: (row: O) => T,
): Promise<Paged<T>> {
  const counted = query
    .clearSelect()
    .clearOrderBy()
    .select(sql<string>`count(*)`.as('total'));
  const [count] = await counted.$castTo<{ total: string }>().execute();
  const rows = await query.limit(page.size).offset(offset(page)).execute();
  return paged(page, Number(count?.total ?? 0), rows.map(answer));
}

/** Objects by id, as the `list_by_ids` endpoints answer. */
export const byKey = <T extends { id: string }>(items: readonly T[]): Record<string, T> =>
  Object.fromEntries(items.map((item) => [item.id, item]));
