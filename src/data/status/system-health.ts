import { sql } from 'kysely';
import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { inTenant } from '../../db/tenant.ts';
import { EntityState } from '../../manager/device/state.ts';
import { heardUntil } from '../../manager/driver/listening.ts';
import { EntityType } from '../../manager/group/entity-type.ts';
import { RefusedCount, refusedValues } from '../value/refused-values.ts';
import { CenterHealth, centerHealth } from './center-health.ts';

const Fleet = z.object({ total: z.number().int(), online: z.number().int() });
type Fleet = z.output<typeof Fleet>;

export const SystemHealth = z
  .object({
    center: CenterHealth,
    infra: z.object({
      database: z.enum(['up', 'down']),
      mq: z
        .enum(['up', 'unknown'])
        .describe('up if a driver is online, because its heartbeats come over the bus'),
    }),
    drivers: Fleet.nullable().describe('null while the database is down'),
    devices: Fleet.nullable().describe('null while the database is down'),
    refusedValues: z.array(RefusedCount),
  })
  .meta({ id: 'SystemHealth' });
type SystemHealth = z.output<typeof SystemHealth>;

/** State of the centers, the database and the bus, and how much of the tenant's fleet is online. */
export const systemHealth: Operation<object, SystemHealth> = async (app, { tenantId }) => {
  const center = await centerHealth(app);
  try {
    await app.db.ping();
  } catch (error) {
    app.log.warn({ error }, 'the database does not answer');
    const infra = { database: 'down', mq: 'unknown' } as const;
    return { center, infra, drivers: null, devices: null, refusedValues: [] };
  }
  const now = app.clock.now();
  return inTenant(app.db, tenantId, async (q) => {
    const fleet = async (
      table: 'svc_driver' | 'svc_device',
      entityType: number,
    ): Promise<Fleet> => {
      const row = await q
        .selectFrom(table)
        .leftJoin('svc_entity_state as state', (join) =>
          join
            .onRef('state.entityId', '=', `${table}.id`)
            .on('state.tenantId', '=', tenantId)
            .on('state.entityTypeFlag', '=', entityType)
            .on('state.entityStateFlag', '!=', EntityState.OFFLINE)
            .on('state.expireTime', '>', heardUntil(now)),
        )
        .select([
          sql<string>`count(*)`.as('total'),
          sql<string>`count(state.entity_id)`.as('online'),
        ])
        .where(`${table}.tenantId`, '=', tenantId)
        .executeTakeFirstOrThrow();
      return { total: Number(row.total), online: Number(row.online) };
    };
    const drivers = await fleet('svc_driver', EntityType.DRIVER);
    const devices = await fleet('svc_device', EntityType.DEVICE);
    const mq = drivers.online > 0 ? 'up' : 'unknown';
    const infra = { database: 'up', mq } as const;
    return { center, infra, drivers, devices, refusedValues: await refusedValues(q, tenantId) };
  });
};
