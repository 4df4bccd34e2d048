import { type RawBuilder, sql } from 'kysely';

import type { Queries } from '../../db/connect.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { Conflict, Unprocessable } from '../../kernel/errors.ts';
import type { Attribute } from './attribute.ts';

/** Size of the column: an index entry has a largest size. */
const MAX_ENDPOINT = 255;

/** A config with a value that must belong to one device. */
export type Claim = { driverId: string; deviceId: string; configId: string; endpoint: string };

/**
 * Whether the driver declares that a value of this attribute belongs to one device only, over all tenants or, of
 * devices that prove a key, within their own. Attributes added by users claim no names.
 */
export const isIdentity = ({ attributeExt, creatorId }: Attribute): boolean =>
  creatorId === '0' && attributeExt['identity'] === true;

/** Whether the device `deviceId` is configured to prove itself by a key of its own, as SQL. */
const isProven = (
  tenantId: RawBuilder<unknown>,
  deviceId: RawBuilder<unknown>,
) => sql<boolean>`exists (
    select from svc_driver_attribute_config pc
    join svc_driver_attribute pa on pa.tenant_id = pc.tenant_id and pa.id = pc.attribute_id
    where pc.tenant_id = ${tenantId} and pc.device_id = ${deviceId} and pc.enable_flag = 0
      and pa.creator_id = 0 and pa.enable_flag = 0
      and (pa.attribute_ext -> 'provenBy') @> to_jsonb(upper(btrim(pc.config_value))))`;

/**
 * Claims names in the transaction that writes their configs, in an order that prevents deadlocks; frees
 * earlier claims of these configs. Answers the claims that were refused because another device of the tenant
 * has the name or, unless both prove keys, of another tenant. The configs of the devices are written before.
 */
export async function refusedClaims(
  q: Queries,
  tenantId: string,
  claims: readonly Claim[],
): Promise<Claim[]> {
  if (claims.length === 0) return [];
  const wanted = claims.filter(({ endpoint }) => endpoint !== '');
  const list = (of: (claim: Claim) => string, type: RawBuilder<unknown>) =>
    sql`${wanted.map(of)}::${type}[]`;
  // Inserted before the old name is freed: a transaction that waits for a name holds none.
  await sql`
    insert into svc_endpoint_claim (tenant_id, driver_code, endpoint, device_id, config_id, proven)
    select d.tenant_id, d.driver_code, w.endpoint, w.device_id, w.config_id,
      ${isProven(sql`d.tenant_id`, sql`w.device_id`)}
    from unnest(${list(({ driverId }) => driverId, sql`bigint`)},
      ${list(({ deviceId }) => deviceId, sql`bigint`)},
      ${list(({ configId }) => configId, sql`bigint`)},
      ${list(({ endpoint }) => endpoint, sql`text`)}) as w (driver_id, device_id, config_id, endpoint)
    join svc_driver d on d.tenant_id = ${tenantId} and d.id = w.driver_id
    order by w.endpoint, w.config_id
    on conflict do nothing`.execute(q);
  const configIds = claims.map(({ configId }) => configId);
  const held = await q
    .selectFrom('svc_endpoint_claim')
    .select(['id', 'configId', 'endpoint'])
    .where('tenantId', '=', tenantId)
    .where('configId', 'in', configIds)
    .execute();
  const valueOf = new Map(claims.map(({ configId, endpoint }) => [configId, endpoint]));
  const freed = held.filter(({ configId, endpoint }) => valueOf.get(configId) !== endpoint);
  if (freed.length > 0)
    await q
      .deleteFrom('svc_endpoint_claim')
      .where('tenantId', '=', tenantId)
      .where(
        'id',
        'in',
        freed.map(({ id }) => id),
      )
      .execute();
  const owned = new Set(held.map(({ configId, endpoint }) => `${configId} ${endpoint}`));
  return wanted.filter(({ configId, endpoint }) => !owned.has(`${configId} ${endpoint}`));
}

/** Throws Conflict, with the same text whether the name belongs to this tenant or to another. */
export async function claimEndpoint(
  q: Queries,
  tenantId: string,
  attribute: Attribute,
  claim: Claim,
): Promise<void> {
  if (!isIdentity(attribute)) return;
  checkEndpoint(attribute, claim.endpoint);
  const [refused] = await refusedClaims(q, tenantId, [claim]);
  if (refused) throw new Conflict(takenText(attribute));
}

export const takenText = ({ attributeCode }: Attribute): string =>
  `The ${attributeCode} is already taken: it can belong to one device only`;

/**
 * Follows a changed config by which the driver knows whether the device proves a key. Throws Conflict when the device
 * would then need a name that another device has in clear.
 */
export async function followProof(
  q: Queries,
  tenantId: string,
  { attributeCode, attributeExt, creatorId }: Attribute,
  deviceId: string,
): Promise<void> {
  if (creatorId !== '0' || attributeExt['provenBy'] === undefined) return;
  const proven = isProven(sql`k.tenant_id`, sql`k.device_id`);
  // A name that begins to count elsewhere is a new claim: of two the higher number is the newer.
  const following = sql`
    update svc_endpoint_claim k set id = default, proven = not k.proven
    where k.tenant_id = ${tenantId} and k.device_id = ${deviceId} and k.proven <> ${proven}`.execute(
    q,
  );
  const message = `Without this ${attributeCode} the device needs its name for itself, and another device has it`;
  await conflictIfTaken('name', following, message);
}

/** Throws Unprocessable for a value that is too long for a claim. */
export function checkEndpoint(attribute: Attribute, value: string): void {
  if (isIdentity(attribute) && value.length > MAX_ENDPOINT)
    throw new Unprocessable(
      `The ${attribute.attributeCode} must have at most ${MAX_ENDPOINT} characters`,
    );
}

/** Deletes the claim of a config. */
export async function freeEndpoint(q: Queries, tenantId: string, configId: string): Promise<void> {
  await q
    .deleteFrom('svc_endpoint_claim')
    .where('tenantId', '=', tenantId)
    .where('configId', '=', configId)
    .execute();
}

/**
 * Adjusts the claims of a driver to its declaration, over the tenants of a registration: deletes claims of
 * attributes that are no identity any more; notes the devices that prove keys; claims the values of configs from before their attribute became
 * one, oldest first. Needs the `registrar` context.
 */
export async function followDeclaration(
  q: Queries,
  { driverCode, identities }: { driverCode: string; identities: readonly string[] },
  driverIds: readonly string[],
): Promise<void> {
  const configs = sql`svc_driver_attribute_config c
    join svc_driver_attribute a on a.tenant_id = c.tenant_id and a.id = c.attribute_id
    where a.driver_id = any(${[...driverIds]}::bigint[]) and a.creator_id = 0
      and a.attribute_code = any(${[...identities]}::text[])`;
  await sql`
    delete from svc_endpoint_claim k
    where k.driver_code = ${driverCode}
      and k.tenant_id in (select tenant_id from svc_driver where id = any(${[...driverIds]}::bigint[]))
      and not exists (select from ${configs} and c.tenant_id = k.tenant_id and c.id = k.config_id)`.execute(
    q,
  );
  await sql`
    update svc_endpoint_claim k set proven = true
    where k.driver_code = ${driverCode} and not k.proven
      and k.tenant_id in (select tenant_id from svc_driver where id = any(${[...driverIds]}::bigint[]))
      and ${isProven(sql`k.tenant_id`, sql`k.device_id`)}`.execute(q);
  await sql`
    insert into svc_endpoint_claim (tenant_id, driver_code, endpoint, device_id, config_id, proven)
    select distinct on (c.config_value) c.tenant_id, ${driverCode}, c.config_value, c.device_id, c.id,
      ${isProven(sql`c.tenant_id`, sql`c.device_id`)}
    from ${configs} and char_length(c.config_value) between 1 and ${MAX_ENDPOINT}
      and not exists (select from svc_endpoint_claim k
        where k.driver_code = ${driverCode} and k.endpoint = c.config_value)
    order by c.config_value, c.id
    on conflict do nothing`.execute(q);
}
