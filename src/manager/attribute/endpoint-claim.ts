import { type RawBuilder, sql } from 'kysely';

import { Conflict, Unprocessable } from '../../core/errors.ts';
import type { Queries } from '../../db/connect.ts';
import type { Attribute } from './attribute.ts';

/** Size of the column: an index entry has a largest size. */
const MAX_ENDPOINT = 255;

/** A config with a value that must belong to one device. */
export type Claim = { driverId: string; deviceId: string; configId: string; endpoint: string };

/**
 * Whether the driver declares that a value of this attribute belongs to one device only, over all tenants.
 * Attributes added by users claim no names.
 */
export const isIdentity = ({ attributeExt, creatorId }: Attribute): boolean =>
  creatorId === '0' && attributeExt['identity'] === true;

/**
 * Claims names in the transaction that writes their configs, in an order that prevents deadlocks; frees
 * earlier claims of these configs. Answers the claims that were refused because another device, of any
 * tenant, has the name.
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
    insert into svc_endpoint_claim (tenant_id, driver_code, endpoint, device_id, config_id)
    select d.tenant_id, d.driver_code, w.endpoint, w.device_id, w.config_id
    from unnest(${list(({ driverId }) => driverId, sql`bigint`)},
      ${list(({ deviceId }) => deviceId, sql`bigint`)},
      ${list(({ configId }) => configId, sql`bigint`)},
      ${list(({ endpoint }) => endpoint, sql`text`)}) as w (driver_id, device_id, config_id, endpoint)
    join svc_driver d on d.tenant_id = ${tenantId} and d.id = w.driver_id
    order by w.endpoint, w.config_id
    on conflict (driver_code, endpoint) do nothing`.execute(q);
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
 * attributes that are no identity any more; claims the values of configs from before their attribute became
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
    insert into svc_endpoint_claim (tenant_id, driver_code, endpoint, device_id, config_id)
    select distinct on (c.config_value) c.tenant_id, ${driverCode}, c.config_value, c.device_id, c.id
    from ${configs} and char_length(c.config_value) between 1 and ${MAX_ENDPOINT}
      and not exists (select from svc_endpoint_claim k
        where k.driver_code = ${driverCode} and k.endpoint = c.config_value)
    order by c.config_value, c.id
    on conflict (driver_code, endpoint) do nothing`.execute(q);
}
