import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { AnswerId, AnswerUuid, IsoTime } from '../../kernel/entity/answer.ts';
import { NotFound } from '../../kernel/errors.ts';

const STATUSES = ['RUNNING', 'DONE', 'CANCELLED', 'FAILED'] as const;

export const Refused = z.object({
  row: z.number().int().describe('Number in the table; the titles are row 1'),
  deviceName: z.string(),
  column: z.string().describe('The wrong cell; empty where it is none alone'),
  reason: z.string(),
});
type Refused = z.output<typeof Refused>;

/** An import of a table of devices, and how far it is. */
export const DeviceImport = z
  .object({
    importId: AnswerUuid,
    status: z.enum(STATUSES),
    why: z.string().describe('Why it failed; else empty'),
    driverId: AnswerId,
    profileId: AnswerId,
    total: z.number().int().describe('Rows of the table'),
    done: z.number().int().describe('Rows that were handled'),
    added: z.number().int(),
    changed: z.number().int(),
    unchanged: z.number().int(),
    refused: z.number().int(),
    creatorName: z.string(),
    createTime: IsoTime,
    endTime: IsoTime.nullable(),
  })
  .meta({ id: 'DeviceImport' });
export type DeviceImport = z.output<typeof DeviceImport>;

/** The imports of a tenant, newest first. */
export const importsOf = (q: Queries, tenantId: string) =>
  q
    .selectFrom('svc_device_import')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .orderBy('id', 'desc');

type Row = Awaited<ReturnType<ReturnType<typeof importsOf>['executeTakeFirst']>>;

/** Throws NotFound without a row. */
export function importOf(row: Row): DeviceImport {
  if (!row) throw new NotFound('Import');
  const { added, changed, unchanged, refused } = row;
  return {
    importId: row.importId,
    status: row.status,
    why: row.why,
    driverId: row.driverId,
    profileId: row.profileId,
    total: row.total,
    done: added + changed + unchanged + refused,
    added,
    changed,
    unchanged,
    refused,
    creatorName: row.creatorName,
    createTime: row.createTime.toISOString(),
    endTime: row.endTime?.toISOString() ?? null,
  };
}

/** The first refused rows of an import, at most `limit`. */
export async function refusedOf(
  q: Queries,
  tenantId: string,
  importId: string,
  limit: number,
): Promise<Refused[]> {
  const rows = await q
    .selectFrom('svc_device_import_refusal')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('importId', '=', importId)
    .orderBy('rowNumber')
    .limit(limit)
    .execute();
  return rows.map(({ rowNumber, deviceName, columnTitle, reason }) => ({
    row: rowNumber,
    deviceName,
    column: columnTitle,
    reason,
  }));
}
