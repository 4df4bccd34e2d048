import { randomUUID } from 'node:crypto';

import { sql, type Selectable } from 'kysely';
import type { z } from 'zod';

import type { Operation } from '../../app.ts';
import { NotFound } from '../../core/errors.ts';
import { flag, nameOf, EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, type ByIds, Ext, GivenCode, input, shared } from '../../core/input/input.ts';
import { Page, type Paged } from '../../core/input/page.ts';
import { Name, Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { contains, pageOf } from '../../db/query-page.ts';
import type { DriverTable } from '../../db/schema/manager.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { byKey, type Entity, entityOf, expectVersion, nextVersion, Version } from '../entity.ts';
import { EntityType, members, membership, unbind } from '../group/entity-type.ts';
import { lockUnused } from '../in-use.ts';
import { tellDrivers } from './driver-updates.ts';

export const DriverType = {
  DRIVER_CLIENT: 0,
  DRIVER_SERVER: 1,
  GATEWAY: 2,
  CONNECT: 3,
} as const;

/** Key in `driver_ext` for the driver's declaration; users cannot set it. */
export const REGISTRATION = 'registration';

export type Driver = Entity & {
  driverName: string;
  driverCode: string;
  serviceName: string;
  serviceHost: string;
  driverTypeFlag: keyof typeof DriverType;
  driverExt: Record<string, unknown>;
};

function driverOf(row: Selectable<DriverTable>): Driver {
  const { [REGISTRATION]: _, ...driverExt } = row.driverExt;
  return {
    ...entityOf(row),
    driverName: row.driverName,
    driverCode: row.driverCode,
    serviceName: row.serviceName,
    serviceHost: row.serviceHost,
    driverTypeFlag: nameOf(DriverType, row.driverTypeFlag),
    driverExt,
  };
}

const fields = {
  ...shared,
  serviceHost: Text(64).optional(),
  driverTypeFlag: flag(DriverType).optional(),
};

export const AddDriver = input({
  ...fields,
  driverName: Name,
  driverCode: GivenCode,
  serviceName: Text(64).min(2),
});
type AddDriver = z.infer<typeof AddDriver>;

/** The code is the routing identifier and never changes (docs/specification/objects.md, Platform objects). */
export const UpdateDriver = input({
  ...fields,
  id: Id,
  version: Version,
  driverName: Name.optional(),
  serviceName: Text(64).min(2).optional(),
  driverExt: Ext.optional(),
});
type UpdateDriver = z.infer<typeof UpdateDriver>;

export const DriverQuery = input({
  ...membership,
  page: Page,
  driverName: Text(64).optional(),
  driverCode: Text(64).optional(),
  serviceName: Text(64).optional(),
  driverTypeFlag: flag(DriverType).optional(),
  enableFlag: flag(EnableFlag).optional(),
});
export type DriverQuery = z.infer<typeof DriverQuery>;

export const ByServiceName = input({ serviceName: Text(64) });
type ByServiceName = z.infer<typeof ByServiceName>;

/** Throws NotFound, also for another tenant's (docs/specification/tenant-isolation.md 2). */
export async function requireDriver(q: Queries, tenantId: string, id: string): Promise<Driver> {
  const row = await q
    .selectFrom('svc_driver')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!row) throw new NotFound('Driver');
  return driverOf(row);
}

export const add: Operation<AddDriver, string> = async (app, caller, given) => {
  const { tenantId } = caller;
  const adding = inTenant(app.db, tenantId, (q) =>
    q
      .insertInto('svc_driver')
      .values({
        ...given,
        driverCode: given.driverCode ?? randomUUID(),
        tenantId,
        ...created(app, caller),
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  return (await conflictIfTaken('driver', adding)).id;
};

export const update: Operation<UpdateDriver, void> = async (app, caller, given) => {
  const { id, version, driverExt, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    const { version: current } = await lock(q, tenantId, id);
    expectVersion(version, current);
    await q
      .updateTable('svc_driver')
      .set({ ...change, ...touched(app, caller), version: nextVersion })
      .$if(driverExt !== undefined, (query) =>
        query.set({
          // The declaration stays whatever the user sets.
          driverExt: sql`(${driverExt}::jsonb - ${REGISTRATION}::text) || case when driver_ext ? ${REGISTRATION}::text
            then jsonb_build_object(${REGISTRATION}::text, driver_ext -> ${REGISTRATION}::text) else '{}' end`,
        }),
      )
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });
  await conflictIfTaken('driver', updating);
  await tellDrivers(app, tenantId, { driverId: id });
};

/** Refused with Conflict while devices use the driver; deletes its attributes. */
export const remove: Operation<ById, void> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, async (q) => {
    await lockUnused(q, 'svc_driver', tenantId, id);
    await unbind(q, tenantId, EntityType.DRIVER, id);
    for (const table of [
      'svc_driver_attribute',
      'svc_point_attribute',
      'svc_command_attribute',
      'svc_event_attribute',
    ] as const)
      await q
        .deleteFrom(table)
        .where('tenantId', '=', tenantId)
        .where('driverId', '=', id)
        .execute();
    await q
      .deleteFrom('svc_entity_state')
      .where('tenantId', '=', tenantId)
      .where('entityTypeFlag', '=', EntityType.DRIVER)
      .where('entityId', '=', id)
      .execute();
    await q
      .deleteFrom('svc_driver')
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
  });

async function lock(q: Queries, tenantId: string, id: string): Promise<{ version: number }> {
  const row = await q
    .selectFrom('svc_driver')
    .select('version')
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .forUpdate()
    .executeTakeFirst();
  if (!row) throw new NotFound('Driver');
  return row;
}

export const byId: Operation<ById, Driver> = (app, { tenantId }, { id }) =>
  inTenant(app.db, tenantId, (q) => requireDriver(q, tenantId, id));

export const byIds: Operation<ByIds, Record<string, Driver>> = async (app, { tenantId }, { ids }) =>
  inTenant(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_driver')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('id', 'in', ids.length > 0 ? ids : ['0'])
      .execute();
    return byKey(rows.map(driverOf));
  });

export const byServiceName: Operation<ByServiceName, Driver> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_driver')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('serviceName', '=', given.serviceName)
      .orderBy('id')
      .executeTakeFirst();
    if (!row) throw new NotFound('Driver');
    return driverOf(row);
  });

export const page: Operation<DriverQuery, Paged<Driver>> = (app, { tenantId }, given) =>
  inTenant(app.db, tenantId, (q) => {
    let query = q.selectFrom('svc_driver').selectAll().where('tenantId', '=', tenantId);
    for (const ids of members(q, tenantId, EntityType.DRIVER, given))
      query = query.where('id', 'in', ids);
    if (given.driverName) query = query.where('driverName', 'ilike', contains(given.driverName));
    if (given.driverCode) query = query.where('driverCode', 'ilike', contains(given.driverCode));
    if (given.serviceName) query = query.where('serviceName', 'ilike', contains(given.serviceName));
    if (given.driverTypeFlag !== undefined)
      query = query.where('driverTypeFlag', '=', given.driverTypeFlag);
    if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
    return pageOf(query.orderBy('createTime', 'desc').orderBy('id', 'desc'), given.page, driverOf);
  });
