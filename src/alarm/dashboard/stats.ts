import { sql } from 'kysely';
import { z } from 'zod';

import { filled, lastHours, midnight, placeIn } from '../../data/dashboard/calendar.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { nameIn } from '../../kernel/entity/answer.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { AlarmTarget, AlarmType, ConfirmFlag } from '../kind/alarm.ts';

const Count = z.number().int();

/** Alarms of devices include those of their points and events. */
export const AlertStats = z
  .object({
    total: Count,
    unconfirmed: Count,
    deviceAlerts: Count,
    driverAlerts: Count,
    deviceUnconfirmed: Count,
    driverUnconfirmed: Count,
    todayDeviceAlarms: Count.describe('Raised since midnight of the plant'),
    todayDriverAlarms: Count,
    todayDeviceUnconfirmed: Count,
    todayDriverUnconfirmed: Count,
    byType: z.array(z.object({ key: nameIn(AlarmType), count: Count })),
    sparkline24h: z.array(Count).describe('By hour of the plant, the present hour last'),
  })
  .meta({ id: 'AlertStats' });
type AlertStats = z.output<typeof AlertStats>;

type Group = { isDriver: boolean; isToday: boolean; isOpen: boolean; type: number; count: number };

/** All alarms of the tenant, in at most forty groups. */
async function grouped(q: Queries, tenantId: string, today: number): Promise<Group[]> {
  const { rows } = await sql<Group>`
    select is_driver, is_today, is_open, type, count(*)::int as count
    from (select alarm_target_type_flag = ${AlarmTarget.DRIVER} as is_driver,
        create_time >= ${new Date(today)} as is_today,
        confirm_flag = ${ConfirmFlag.UNCONFIRMED} as is_open, alarm_type_flag as type
      from svc_entity_alarm where tenant_id = ${tenantId}) a
    group by is_driver, is_today, is_open, type order by type`.execute(q);
  return rows;
}

export const stats: Operation<object, AlertStats> = (app, { tenantId, timezone }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const here = { now: app.clock.now(), zone: timezone };
    const starts = lastHours(here, 24);
    const [groups, hours] = await Promise.all([
      grouped(q, tenantId, midnight(here)),
      byHour(q, tenantId, starts),
    ]);
    const sum = (wanted: Partial<Group> = {}): number =>
      groups.filter((group) => isOf(group, wanted)).reduce((total, { count }) => total + count, 0);
    const types = [...new Set(groups.map(({ type }) => type))];
    return {
      total: sum(),
      unconfirmed: sum({ isOpen: true }),
      deviceAlerts: sum({ isDriver: false }),
      driverAlerts: sum({ isDriver: true }),
      deviceUnconfirmed: sum({ isDriver: false, isOpen: true }),
      driverUnconfirmed: sum({ isDriver: true, isOpen: true }),
      todayDeviceAlarms: sum({ isDriver: false, isToday: true }),
      todayDriverAlarms: sum({ isDriver: true, isToday: true }),
      todayDeviceUnconfirmed: sum({ isDriver: false, isToday: true, isOpen: true }),
      todayDriverUnconfirmed: sum({ isDriver: true, isToday: true, isOpen: true }),
      byType: types.map((type) => ({ key: nameOf(AlarmType, type), count: sum({ type }) })),
      sparkline24h: hours,
    };
  });

const isOf = (group: Group, { isDriver, isToday, isOpen, type }: Partial<Group>): boolean =>
  (isDriver ?? group.isDriver) === group.isDriver &&
  (isToday ?? group.isToday) === group.isToday &&
  (isOpen ?? group.isOpen) === group.isOpen &&
  (type ?? group.type) === group.type;

async function byHour(q: Queries, tenantId: string, starts: readonly number[]): Promise<number[]> {
  const { rows } = await sql<{ place: number; count: number }>`
    select ${placeIn(starts, sql`create_time`)} as place, count(*)::int as count from svc_entity_alarm
    where tenant_id = ${tenantId} and create_time >= ${new Date(starts[0] ?? 0)}
    group by place`.execute(q);
  return filled(starts, rows);
}
