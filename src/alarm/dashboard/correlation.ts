import { sql } from 'kysely';
import { z } from 'zod';

import { clamped, MAX_DAYS } from '../../data/dashboard/range.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { numbered } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { AlarmType } from '../kind/alarm.ts';
import { coincidences } from './coincidences.ts';
import { source, sourced } from './sourced.ts';

const HOUR_MS = 3_600_000;
/** Newest alarms that are compared. */
const MAX_ALARMS = 10_000;

export const CorrelationQuery = input({
  hours: clamped({ most: MAX_DAYS * 24, fallback: 24 }),
  windowSec: clamped({ least: 5, most: 300, fallback: 30 }),
  limit: clamped({ most: 30, fallback: 15 }),
});

export const CorrelationPair = z
  .object({
    aSource: source.source,
    aSourceId: source.sourceId,
    aDeviceId: source.deviceId,
    aEventType: numbered(AlarmType),
    bSource: source.source,
    bSourceId: source.sourceId,
    bDeviceId: source.deviceId,
    bEventType: numbered(AlarmType),
    coCount: z.number().int().describe('How often both were raised within the window'),
  })
  .meta({ id: 'CorrelationPair' });
type CorrelationPair = z.output<typeof CorrelationPair>;

type Row = Parameters<typeof keyOf>[0] & { at: Date };

const keyOf = (row: {
  source: CorrelationPair['aSource'];
  sourceId: string;
  deviceId: string;
  alarmTypeFlag: number;
}): string => `${row.source}:${row.sourceId}:${row.deviceId}:${row.alarmTypeFlag}`;

/** Alarms that come together, most often first, among the newest ten thousand of the last hours. */
export const correlation: Operation<z.output<typeof CorrelationQuery>, CorrelationPair[]> = (
  app,
  { tenantId },
  { hours, windowSec, limit },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { rows } = await sql<Row>`
      select source, source_id, device_id, alarm_type_flag, create_time as at
      from ${sourced(tenantId, app.clock.now() - hours * HOUR_MS)}
      order by create_time desc, id desc limit ${MAX_ALARMS}`.execute(q);
    const known = new Map(rows.map((row) => [keyOf(row), row]));
    const happenings = rows.map((row) => ({ key: keyOf(row), at: row.at.getTime() }));
    return coincidences(happenings, windowSec * 1_000, limit).flatMap(
      ({ a: one, b: other, count }) => {
        const [a, b] = [known.get(one), known.get(other)];
        if (!a || !b) return [];
        return {
          aSource: a.source,
          aSourceId: a.sourceId,
          aDeviceId: a.deviceId,
          aEventType: a.alarmTypeFlag,
          bSource: b.source,
          bSourceId: b.sourceId,
          bDeviceId: b.deviceId,
          bEventType: b.alarmTypeFlag,
          coCount: count,
        };
      },
    );
  });
