import { sql } from 'kysely';
import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';

const Count = z.number().int();
const MAX_SERVICES = 50;

export const ProtocolHealth = z
  .object({
    serviceName: z.string().meta({ examples: ['svc-driver-lwm2m'] }),
    driverCount: Count,
    enabledCount: Count.describe('Drivers that are enabled'),
    deviceCount: Count.describe('Devices of these drivers'),
  })
  .meta({ id: 'ProtocolHealth' });
type ProtocolHealth = z.output<typeof ProtocolHealth>;

/** Drivers and their devices by the service of the driver, most devices first. */
export const protocols: Operation<object, ProtocolHealth[]> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { rows } = await sql<ProtocolHealth>`
      select v.service_name, count(*)::int as driver_count,
        count(*) filter (where v.enable_flag = ${EnableFlag.ENABLE})::int as enabled_count,
        coalesce(sum(d.devices), 0)::int as device_count
      from svc_driver v
      left join (select driver_id, count(*) as devices from svc_device
        where tenant_id = ${tenantId} group by driver_id) d on d.driver_id = v.id
      where v.tenant_id = ${tenantId} group by v.service_name
      order by device_count desc, v.service_name limit ${MAX_SERVICES}`.execute(q);
    return rows;
  });
