import { sql } from 'kysely';

import { type Payload, topics } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import type { AttributeTable } from '../driver/attribute.ts';
import { DriverType, REGISTRATION } from '../driver/driver.ts';
import { followDeclaration } from '../driver/endpoint-claim.ts';
import { sealStored } from '../driver/seal-stored.ts';
import { ValueType } from '../entity/value-type.ts';

/** The registration message of a driver. */
export type Declaration = Payload<'svc.e.driver_register'>;

const BY = 'driver registration';

/**
 * Writes a driver's declaration to the rows of these tenants: the driver and its attributes; deletes
 * attributes that it no longer declares, with their configs; seals what it declares to be secret. Needs the `registrar` context. Safe to repeat.
 */
export async function applyDeclaration(
  q: Queries,
  app: Pick<App, 'clock' | 'keys'>,
  declaration: Declaration,
  tenantIds: readonly string[],
): Promise<void> {
  if (tenantIds.length === 0) return;
  const now = new Date(app.clock.now());
  await upsertDrivers(q, declaration, tenantIds, now);
  const drivers = await q
    .selectFrom('svc_driver')
    .select('id')
    .where('tenantId', 'in', [...tenantIds])
    .where('driverCode', '=', declaration.driverCode)
    .execute();
  const driverIds = drivers.map(({ id }) => id);
  for (const [kind, declared = []] of [
    ['driver', declaration.driverAttributes],
    ['point', declaration.pointAttributes],
    ['command', declaration.commandAttributes],
    ['event', declaration.eventAttributes],
  ] as const) {
    const table = `svc_${kind}_attribute` as const;
    await upsertAttributes(q, table, declared, driverIds, now);
    const codes = declared.map(({ code }) => code);
    const gone = await q
      .deleteFrom(table)
      .where('driverId', 'in', driverIds)
      // Attributes added by users are not deleted.
      .where('creatorId', '=', '0')
      .where('attributeCode', 'not in', codes.length > 0 ? codes : [''])
      .returning('id')
      .execute();
    if (gone.length > 0)
      await q
        .deleteFrom(`${table}_config`)
        .where(
          'attributeId',
          'in',
          gone.map(({ id }) => id),
        )
        .execute();
    await sealStored(q, app, kind, driverIds);
  }
  const identities = declaration.driverAttributes
    .filter(({ identity }) => identity)
    .map(({ code }) => code);
  await followDeclaration(q, { driverCode: declaration.driverCode, identities }, driverIds);
}

/** Appends the code to a name that another driver of the tenant has; an existing row keeps its name. */
async function upsertDrivers(
  q: Queries,
  declaration: Declaration,
  tenantIds: readonly string[],
  now: Date,
): Promise<void> {
  const { driverCode, driverName, serviceName, serviceHost } = declaration;
  const type = DriverType[declaration.driverType];
  const ext = JSON.stringify({ [REGISTRATION]: declaration });
  await sql`
    insert into svc_driver as d (tenant_id, driver_name, driver_code, service_name, service_host,
      driver_type_flag, driver_ext, creator_name, create_time, operator_name, operate_time)
    select t.id, case when exists (select from svc_driver o
        where o.tenant_id = t.id and o.driver_name = ${driverName} and o.driver_code <> ${driverCode})
      then ${`${driverName} (${driverCode})`} else ${driverName} end,
      ${driverCode}, ${serviceName}, ${serviceHost}, ${type}, ${ext}::jsonb, ${BY}, ${now}, ${BY}, ${now}
    from unnest(${[...tenantIds]}::bigint[]) as t (id) order by t.id
    on conflict (tenant_id, driver_code) do update set
      service_name = excluded.service_name, service_host = excluded.service_host,
      driver_type_flag = excluded.driver_type_flag, driver_ext = d.driver_ext || excluded.driver_ext
    where (d.service_name, d.service_host, d.driver_type_flag, d.driver_ext -> ${REGISTRATION}::text)
      is distinct from (excluded.service_name, excluded.service_host, excluded.driver_type_flag,
        excluded.driver_ext -> ${REGISTRATION}::text)`.execute(q);
}

async function upsertAttributes(
  q: Queries,
  table: AttributeTable,
  declared: Declaration['driverAttributes'],
  driverIds: readonly string[],
  now: Date,
): Promise<void> {
  if (declared.length === 0) return;
  const exts = declared.map(({ secret, identity, provenBy, oneOf, min, max, required }) =>
    JSON.stringify({
      ...(secret && { security: { secret } }),
      ...(identity && { identity }),
      ...(provenBy && { provenBy }),
      ...(oneOf && { oneOf }),
      ...(min !== undefined && { min }),
      ...(max !== undefined && { max }),
      ...(required && { required }),
    }),
  );
  await sql`
    insert into ${sql.table(table)} as a (tenant_id, driver_id, attribute_code, attribute_name,
      attribute_type_flag, default_value, attribute_ext, remark, creator_name, create_time,
      operator_name, operate_time)
    select d.tenant_id, d.id, s.code, s.name, s.type, s.initial, s.ext::jsonb, s.remark,
      ${BY}, ${now}, ${BY}, ${now}
    from svc_driver d, unnest(${declared.map(({ code }) => code)}::text[],
      ${declared.map(({ name }) => name)}::text[],
      ${declared.map(({ type }) => ValueType[type])}::smallint[],
      ${declared.map(({ defaultValue }) => defaultValue)}::text[], ${exts}::text[],
      ${declared.map(({ description }) => description)}::text[])
      with ordinality as s (code, name, type, initial, ext, remark, position)
    where d.id = any(${[...driverIds]}::bigint[]) order by d.id, s.position
    on conflict (tenant_id, driver_id, attribute_code) do update set
      attribute_name = excluded.attribute_name, attribute_type_flag = excluded.attribute_type_flag,
      default_value = excluded.default_value, attribute_ext = excluded.attribute_ext,
      remark = excluded.remark, creator_id = 0, creator_name = excluded.creator_name, operator_name = excluded.operator_name,
      operate_time = excluded.operate_time, version = a.version + 1
    where (a.attribute_name, a.attribute_type_flag, a.default_value, a.attribute_ext, a.remark,
        a.creator_id) is distinct from (excluded.attribute_name, excluded.attribute_type_flag,
        excluded.default_value, excluded.attribute_ext, excluded.remark, 0)`.execute(q);
}

/** Stored declarations of all drivers or of one. */
export async function declarations(q: Queries, driverCode?: string): Promise<Declaration[]> {
  const { rows } = await sql<{ declaration: unknown }>`
    select distinct on (driver_code) driver_ext -> ${REGISTRATION}::text as declaration
    from svc_driver where driver_ext ? ${REGISTRATION}::text
      and driver_code = coalesce(${driverCode ?? null}::text, driver_code)
    order by driver_code, id limit 1000`.execute(q);
  return rows.map((row) => topics['svc.e.driver_register'].payload.parse(row.declaration));
}
