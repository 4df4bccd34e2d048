import { randomUUID } from 'node:crypto';

import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { AnswerExt, named } from '../../kernel/entity/answer.ts';
import { byIdIn } from '../../kernel/entity/by-id.ts';
import { addRow, changeRow, deleteRow, Version } from '../../kernel/entity/change.ts';
import { narrowed } from '../../kernel/entity/narrowed.ts';
import { rowsOf } from '../../kernel/entity/row.ts';
import { NotFound } from '../../kernel/errors.ts';
import { flag, EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, type ByIds, Ext, GivenCode, input, shared } from '../../kernel/input/input.ts';
import { Page, type Paged } from '../../kernel/input/page.ts';
import { Name, Text } from '../../kernel/input/text.ts';
import { byKey, entity } from '../entity/answer.ts';
import { EntityType, members, membership, unbind } from '../entity/entity-type.ts';
import { lockUnused } from '../entity/in-use.ts';
import { tellDrivers } from './driver-updates.ts';

export const DriverType = {
  DRIVER_CLIENT: 0,
  DRIVER_SERVER: 1,
  GATEWAY: 2,
  CONNECT: 3,
} as const;

/** Key in `driver_ext` for the driver's declaration; users cannot set it. */
export const REGISTRATION = 'registration';

/** The extension object without the declaration. */
const DriverExt = z.pipe(
  z.transform((stored: Record<string, unknown>) => {
    const { [REGISTRATION]: _, ...ext } = stored;
    return ext;
  }),
  AnswerExt,
);

export const Driver = entity('Driver', {
  driverName: z.string().meta({ examples: ['LwM2M driver'] }),
  driverCode: z.string().meta({ examples: ['Lwm2mDriver'] }),
  serviceName: z.string().meta({ examples: ['svc-driver-lwm2m'] }),
  serviceHost: z.string().meta({ examples: ['10.0.0.7'] }),
  driverTypeFlag: named(DriverType),
  driverExt: DriverExt,
});
export type Driver = z.output<typeof Driver.schema>;

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

export const add: Operation<AddDriver, string> = (app, caller, given) => {
  const driverCode = given.driverCode ?? randomUUID();
  const adding = inTenant(app.db, caller.tenantId, (q) =>
    addRow(q, app, caller, 'svc_driver', { ...given, driverCode }),
  );
  return conflictIfTaken('driver', adding);
};

export const update: Operation<UpdateDriver, void> = async (app, caller, given) => {
  const { driverExt, ...change } = given;
  const { tenantId } = caller;
  const updating = inTenant(app.db, tenantId, async (q) => {
    await changeRow(q, app, caller, 'svc_driver', change);
    if (driverExt !== undefined)
      await sql`
        update svc_driver set driver_ext = (${driverExt}::jsonb - ${REGISTRATION}::text)
          || case when driver_ext ? ${REGISTRATION}::text
            -- The declaration stays whatever the user sets.
            then jsonb_build_object(${REGISTRATION}::text, driver_ext -> ${REGISTRATION}::text) else '{}' end
        where tenant_id = ${tenantId} and id = ${given.id}`.execute(q);
  });
  await conflictIfTaken('driver', updating);
  await tellDrivers(app, tenantId, { driverId: given.id });
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
    await deleteRow(q, 'svc_driver', tenantId, id);
  });

export const byId: Operation<ById, Driver> = byIdIn('svc_driver', Driver.of);

export const byIds: Operation<ByIds, Record<string, Driver>> = (app, { tenantId }, { ids }) =>
  inOneTrip(app.db, tenantId, async (q) =>
    byKey((await rowsOf(q, 'svc_driver', tenantId, ids)).map(Driver.of)),
  );

export const byServiceName: Operation<ByServiceName, Driver> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const row = await q
      .selectFrom('svc_driver')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('serviceName', '=', given.serviceName)
      .orderBy('id')
      .executeTakeFirst();
    if (!row) throw new NotFound('Driver');
    return Driver.of(row);
  });

/** The drivers of a list, newest first. */
export function driversIn(q: Queries, tenantId: string, given: DriverQuery) {
  let query = narrowed(
    q.selectFrom('svc_driver').selectAll('svc_driver').where('tenantId', '=', tenantId),
    given,
    {
      like: ['driverName', 'driverCode', 'serviceName'],
      equal: ['driverTypeFlag', 'enableFlag'],
    },
  );
  for (const ids of members(q, tenantId, EntityType.DRIVER, given))
    query = query.where('id', 'in', ids);
  return query.orderBy('createTime', 'desc').orderBy('id', 'desc');
}

export const page: Operation<DriverQuery, Paged<Driver>> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, (q) => pageOf(driversIn(q, tenantId, given), given.page, Driver.of));
