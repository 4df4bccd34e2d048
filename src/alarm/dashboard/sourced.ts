import { sql } from 'kysely';
import { z } from 'zod';

import { AnswerId } from '../../kernel/entity/answer.ts';
import { AlarmTarget } from '../kind/alarm.ts';

/** What alarms are about; alarms of reported events belong to the device (alert.ts). */
export const source = {
  source: z.enum(['driver', 'device', 'point']),
  sourceId: AnswerId.describe('Id of the driver, device or point, by `source`'),
  deviceId: AnswerId.describe('0 for a driver; for a point, the device with the value'),
};

/** A table `a` of the alarms raised since then, with source, source_id and device_id. */
export const sourced = (tenantId: string, since: number) => sql`(
  select case alarm_target_type_flag when ${AlarmTarget.DRIVER} then 'driver'
      when ${AlarmTarget.POINT} then 'point' else 'device' end as source,
    case alarm_target_type_flag when ${AlarmTarget.DRIVER} then driver_id
      when ${AlarmTarget.POINT} then point_id else device_id end as source_id,
    case alarm_target_type_flag when ${AlarmTarget.DRIVER} then 0 else device_id end as device_id,
    alarm_type_flag, create_time, id
  from svc_entity_alarm where tenant_id = ${tenantId} and create_time >= ${new Date(since)}) a`;
