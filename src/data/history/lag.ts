import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { IsoTime } from '../../kernel/entity/answer.ts';

export const ClosedUntil = z
  .object({
    closedUntil: IsoTime.nullable().describe('Hours of values that ended by then are closed'),
    lagS: z.number().int().describe('For how many seconds the next one has been due'),
  })
  .meta({ id: 'ClosedUntil' });

/** How far the hours of a tenant are closed at `now` (ms). */
export async function closedUntil(
  q: Queries,
  tenantId: string,
  now: number,
): Promise<z.output<typeof ClosedUntil>> {
  const row = await q
    .selectFrom('svc_value_closing')
    .select(['closedUntil', 'dueTime'])
    .where('tenantId', '=', tenantId)
    .executeTakeFirst();
  const due = row?.dueTime?.getTime() ?? now;
  return {
    closedUntil: row?.closedUntil?.toISOString() ?? null,
    lagS: Math.max(0, Math.round((now - due) / 1_000)),
  };
}
