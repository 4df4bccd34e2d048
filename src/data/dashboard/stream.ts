import { sql } from 'kysely';
import { z } from 'zod';

import { Quality } from '../../bus/topic/topics.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { answer, AnswerId, named, Time } from '../../kernel/entity/answer.ts';
import { input } from '../../kernel/input/input.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { clamped } from './range.ts';

const Name = z.string().meta({ examples: ['Boiler 2'] });
const Value = z.string().meta({ examples: ['21.5'] });

export const StreamQuery = input({ size: clamped({ most: 100, fallback: 20 }) });
export const LatestPointValue = answer('LatestPointValue', {
  deviceId: AnswerId,
  pointId: AnswerId,
  driverId: AnswerId,
  deviceName: Name,
  pointName: Name,
  driverName: Name,
  rawValue: Value,
  calValue: Value,
  valueType: named(ValueType),
  quality: named(Quality),
  createTime: Time.describe('When it was measured'),
});
type LatestPointValue = z.output<typeof LatestPointValue.schema>;

/** The latest value of each point that reported last, the latest reception first. */
export const stream: Operation<z.output<typeof StreamQuery>, LatestPointValue[]> = (
  app,
  { tenantId },
  { size },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { rows } = await sql<z.input<typeof LatestPointValue.schema>>`
      select l.device_id, l.point_id, l.driver_id, d.device_name, p.point_name, v.driver_name,
        l.raw_value, l.cal_value, p.point_type_flag as value_type, l.quality, l.create_time
      from svc_point_latest l
      join svc_device d on d.tenant_id = ${tenantId} and d.id = l.device_id
      join svc_point p on p.tenant_id = ${tenantId} and p.id = l.point_id
      join svc_driver v on v.tenant_id = ${tenantId} and v.id = l.driver_id
      where l.tenant_id = ${tenantId}
      order by l.receive_time desc, l.device_id, l.point_id limit ${size}`.execute(q);
    return rows.map(LatestPointValue.of);
  });
