import { sql } from 'kysely';
import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerId, Time } from '../../kernel/entity/answer.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { clamped } from './range.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;

export const SilentQuery = input({
  baselineDays: clamped({ most: 30, fallback: 7 }),
  silentMinutes: clamped({ most: 1_440, fallback: 15 }),
  limit: clamped({ most: 50, fallback: 50 }),
});
export const SilentSource = z
  .object({
    deviceId: AnswerId,
    pointId: AnswerId,
    lastSeen: Time.describe('When its latest value was measured'),
    silentSeconds: z.number().int(),
  })
  .meta({ id: 'SilentSource' });
type Row = Omit<z.input<typeof SilentSource>, 'silentSeconds'>;

/** Enabled points that had values in the last days and have none in the last minutes, the longest silent first. */
export const silent: Operation<z.output<typeof SilentQuery>, z.output<typeof SilentSource>[]> = (
  app,
  { tenantId },
  { baselineDays, silentMinutes, limit },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    const { rows } = await sql<Row>`
      select l.device_id, l.point_id, l.create_time as last_seen from svc_point_latest l
      join svc_device d on d.tenant_id = ${tenantId} and d.id = l.device_id
        and d.enable_flag = ${EnableFlag.ENABLE}
      join svc_point p on p.tenant_id = ${tenantId} and p.id = l.point_id
        and p.enable_flag = ${EnableFlag.ENABLE}
      where l.tenant_id = ${tenantId} and l.create_time >= ${new Date(now - baselineDays * DAY_MS)}
        and l.create_time <= ${new Date(now - silentMinutes * MINUTE_MS)}
      order by l.create_time, l.device_id, l.point_id limit ${limit}`.execute(q);
    return rows.map((row) =>
      SilentSource.parse({
        ...row,
        silentSeconds: Math.floor((now - row.lastSeen.getTime()) / 1000),
      }),
    );
  });
