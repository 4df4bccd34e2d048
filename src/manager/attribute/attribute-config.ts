import { sql } from 'kysely';

import type { Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import type { ById } from '../../core/input/input.ts';
import type { Paged } from '../../core/input/page.ts';
import type { Queries } from '../../db/connect.ts';
import { pageOf } from '../../db/query-page.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { inTenant } from '../../db/tenant.ts';
import { hold } from '../../entity/row.ts';
import { rowOf } from '../../entity/row.ts';
import { Device } from '../device/device.ts';
import { tellDrivers } from '../driver/driver-updates.ts';
import { type Entity, entityOf, expectVersion, nextVersion } from '../entity.ts';
import type { AddConfig, ByKeys, ConfigQuery, UpdateConfig } from './attribute-config-input.ts';
import { checkConfig, HIDDEN, isSecret, requireAttribute } from './attribute.ts';

/** Tables and column of each kind of part that a config can belong to. */
const kinds = {
  point: {
    part: 'svc_point',
    attributes: 'svc_point_attribute',
    table: 'svc_point_attribute_config',
    column: 'pointId',
  },
  command: {
    part: 'svc_command',
    attributes: 'svc_command_attribute',
    table: 'svc_command_attribute_config',
    column: 'commandId',
  },
  event: {
    part: 'svc_event',
    attributes: 'svc_event_attribute',
    table: 'svc_event_attribute_config',
    column: 'eventId',
  },
} as const;
type Kind = keyof typeof kinds;
type PartId = Partial<Record<(typeof kinds)[Kind]['column'], string>>;

/**
 * A device's value for an attribute of one of its points, commands or events
 * (docs/specification/objects.md, Config); `pointId`, `commandId` or `eventId` names the part.
 */
export type AttributeConfig = Entity &
  PartId & {
    attributeId: string;
    attributeCode: string;
    configValue: string;
    configExt: Record<string, unknown>;
    deviceId: string;
  };

const MAX_LIST = 10_000;

/** Selects the attribute by scalar subqueries: a join with a table chosen at run time has no type. */
function select(q: Queries, kind: Kind, tenantId: string) {
  const { table, attributes } = kinds[kind];
  const attribute = <T>(column: string) => sql<T>`
    (select ${sql.ref(`a.${column}`)} from ${sql.table(attributes)} a
      where a.tenant_id = ${sql.table(table)}.tenant_id and a.id = ${sql.table(table)}.attribute_id)`;
  return q
    .selectFrom(table)
    .selectAll()
    .select(attribute<string>('attribute_code').as('attributeCode'))
    .select(attribute<Record<string, unknown>>('attribute_ext').as('attributeExt'))
    .where('tenantId', '=', tenantId);
}

type Row = Awaited<ReturnType<ReturnType<typeof select>['executeTakeFirstOrThrow']>>;

const answerOf =
  (kind: Kind) =>
  (row: Row): AttributeConfig => ({
    ...entityOf(row),
    attributeId: row.attributeId,
    attributeCode: row.attributeCode,
    configValue: isSecret(row.attributeExt) ? HIDDEN : row.configValue,
    configExt: row.configExt,
    deviceId: row.deviceId,
    [kinds[kind].column]: row[kinds[kind].column],
  });

async function require(q: Queries, kind: Kind, tenantId: string, id: string) {
  const row = await select(q, kind, tenantId).where('id', '=', id).executeTakeFirst();
  if (!row) throw new NotFound('Config');
  return answerOf(kind)(row);
}

async function checkPart(
  q: Queries,
  kind: Kind,
  { tenantId, profileId, partId }: { tenantId: string; profileId: string; partId: string },
): Promise<void> {
  const { part } = kinds[kind];
  await hold(q, part, tenantId, partId);
  const row = await q
    .selectFrom(part)
    .select('id')
    .where('tenantId', '=', tenantId)
    .where('id', '=', partId)
    .where('profileId', '=', profileId)
    .executeTakeFirst();
  if (!row) throw new Unprocessable(`The ${kind} does not belong to the device's profile`);
}

/** Configs of a device, or of one of its points, commands or events; secret values hidden. */
export async function configsFor(
  q: Queries,
  kind: Kind,
  tenantId: string,
  { deviceId, partId }: { deviceId: string; partId?: string },
): Promise<AttributeConfig[]> {
  let query = select(q, kind, tenantId).where('deviceId', '=', deviceId);
  if (partId) query = query.where(kinds[kind].column, '=', partId);
  return (await query.orderBy('id').limit(MAX_LIST).execute()).map(answerOf(kind));
}

/** Operations on the configs of points, commands or events of a device. */
export function configsOf(kind: Kind) {
  const { table, attributes, column } = kinds[kind];

  const add: Operation<AddConfig, string> = async (app, caller, { partId, ...given }) => {
    const { tenantId } = caller;
    const adding = inTenant(app.db, tenantId, async (q) => {
      await hold(q, 'svc_device', tenantId, given.deviceId);
      const { profileId, driverId } = Device.of(
        await rowOf(q, 'svc_device', tenantId, given.deviceId),
      );
      await checkPart(q, kind, { tenantId, profileId, partId });
      await hold(q, attributes, tenantId, given.attributeId);
      const attribute = await requireAttribute(q, attributes, tenantId, given.attributeId);
      checkConfig(attribute, driverId, given.configValue);
      return q
        .insertInto(table)
        .values({ ...given, [column]: partId, tenantId, ...created(app, caller) })
        .returning('id')
        .executeTakeFirstOrThrow();
    });
    const { id } = await conflictIfTaken('config', adding);
    await tellDrivers(app, tenantId, { deviceId: given.deviceId });
    return id;
  };

  const update: Operation<UpdateConfig, void> = async (app, caller, given) => {
    const { id, version, ...change } = given;
    const { tenantId } = caller;
    const deviceId = await inTenant(app.db, tenantId, async (q) => {
      const before = await require(q, kind, tenantId, id);
      expectVersion(version, before.version);
      const device = Device.of(await rowOf(q, 'svc_device', tenantId, before.deviceId));
      const attribute = await requireAttribute(q, attributes, tenantId, before.attributeId);
      if (change.configValue !== undefined)
        checkConfig(attribute, device.driverId, change.configValue);
      await q
        .updateTable(table)
        .set({ ...change, ...touched(app, caller), version: nextVersion })
        .where('tenantId', '=', tenantId)
        .where('id', '=', id)
        .execute();
      return before.deviceId;
    });
    await tellDrivers(app, tenantId, { deviceId });
  };

  const remove: Operation<ById, void> = async (app, { tenantId }, { id }) => {
    const deviceId = await inTenant(app.db, tenantId, async (q) => {
      const before = await require(q, kind, tenantId, id);
      await q.deleteFrom(table).where('tenantId', '=', tenantId).where('id', '=', id).execute();
      return before.deviceId;
    });
    await tellDrivers(app, tenantId, { deviceId });
  };

  const byId: Operation<ById, AttributeConfig> = (app, { tenantId }, { id }) =>
    inTenant(app.db, tenantId, (q) => require(q, kind, tenantId, id));

  const byKeys: Operation<ByKeys, AttributeConfig> = (app, { tenantId }, given) =>
    inTenant(app.db, tenantId, async (q) => {
      const row = await select(q, kind, tenantId)
        .where('deviceId', '=', given.deviceId)
        .where('attributeId', '=', given.attributeId)
        .where(column, '=', given.partId)
        .executeTakeFirst();
      if (!row) throw new NotFound('Config');
      return answerOf(kind)(row);
    });

  /** Configs of a device or of one of its parts; the first 10,000. */
  const byDevice: Operation<{ deviceId: string; partId?: string }, AttributeConfig[]> = (
    app,
    { tenantId },
    { deviceId, partId },
  ) =>
    inTenant(app.db, tenantId, async (q) => {
      Device.of(await rowOf(q, 'svc_device', tenantId, deviceId));
      return configsFor(q, kind, tenantId, partId ? { deviceId, partId } : { deviceId });
    });

  const page: Operation<ConfigQuery, Paged<AttributeConfig>> = (app, { tenantId }, given) =>
    inTenant(app.db, tenantId, (q) => {
      let query = select(q, kind, tenantId);
      if (given.attributeId) query = query.where('attributeId', '=', given.attributeId);
      if (given.partId) query = query.where(column, '=', given.partId);
      if (given.deviceId) query = query.where('deviceId', '=', given.deviceId);
      if (given.enableFlag !== undefined) query = query.where('enableFlag', '=', given.enableFlag);
      return pageOf(query.orderBy('id', 'desc'), given.page, answerOf(kind));
    });

  return { add, update, remove, byId, byKeys, byDevice, page };
}
