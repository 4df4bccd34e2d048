import { sql } from 'kysely';
import { z } from 'zod';

import { Conflict } from '../core/errors.ts';
import { EnableFlag, nameOf } from '../core/input/flag.ts';
import { AnswerId, named, stored } from '../entity/answer.ts';

/**
 * Fields that every entity of the manager center has in answers (docs/specification/objects.md, Common
 * fields).
 */
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

/** Optimistic locking: an update made from another than the current version fails with 409. */
export const Version = z.number().int().min(1).max(2_147_483_647).optional();

export const nextVersion = sql<number>`version + 1`;

/** Throws Conflict when an update was made from a version that is not the current one. */
export function expectVersion(given: number | undefined, current: number): void {
  if (given !== undefined && given !== current)
    throw new Conflict('Changed by somebody else since', { version: current });
}

/** Objects by id, as the `list_by_ids` endpoints answer. */
export const byKey = <T extends { id: string }>(items: readonly T[]): Record<string, T> =>
  Object.fromEntries(items.map((item) => [item.id, item]));
/** The answer of a noun of the manager center (docs/specification/objects.md, Common fields). */
export const entity = <S extends z.ZodRawShape>(name: string, columns: S) =>
  stored(name, {
    tenantId: AnswerId,
    enableFlag: named(EnableFlag),
    signature: z.string(),
    version: z.number().int(),
    ...columns,
  });
