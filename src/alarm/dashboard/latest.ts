import type { z } from 'zod';

import { clamped } from '../../data/dashboard/range.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { input } from '../../kernel/input/input.ts';
import { type Alert, alertOf } from '../alarm/alert.ts';

export const LatestQuery = input({ size: clamped({ most: 50, fallback: 10 }) });

/** Newest first. */
export const latest: Operation<z.output<typeof LatestQuery>, Alert[]> = (
  app,
  { tenantId },
  { size },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_entity_alarm')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('createTime', 'desc')
      .orderBy('id', 'desc')
      .limit(size)
      .execute();
    return rows.map(alertOf);
  });
