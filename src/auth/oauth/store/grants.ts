import { sql } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../../db/connect.ts';
import { pageOf } from '../../../db/query-page.ts';
import { acrossTenantsWithin, inOneTripAcrossTenants, inTenant } from '../../../db/tenant.ts';
import type { Operation } from '../../../kernel/app/app.ts';
import { AnswerId, IsoTime, MaybeTime, pageOfAnswers } from '../../../kernel/entity/answer.ts';
import { NotFound } from '../../../kernel/errors.ts';
import { Id } from '../../../kernel/input/id.ts';
import { input } from '../../../kernel/input/input.ts';
import { Page, type Paged } from '../../../kernel/input/page.ts';
import { Text } from '../../../kernel/input/text.ts';
import { audit } from '../../audit/audit.ts';
import { allows, demand, demandRightsOf } from '../../permission/permission.ts';
import { accountIdOf, personOf } from './account.ts';
import { endGrantIn } from './adapter.ts';

const LOOK = 'svc-center-auth:mcp:list';
const END = 'svc-center-auth:mcp:delete';

const Kept = z.object({
  clientId: z.string(),
  issuedMs: z.number(),
  openid: z.object({ scope: z.string() }),
});

/** What a person allowed a program (OAuth 2.1): its tokens and sessions live as long as the grant. */
export const Grant = z
  .object({
    grantId: z.string().meta({ examples: ['u2SzY0Zk1rPzWqXv3dJm7aQbTn5cLhEo'] }),
    principalId: AnswerId.describe('The person that gave it'),
    clientId: z.string().meta({ examples: ['dyn_5f0c1d2e3a4b5c6d7e8f9a0b1c2d3e4f'] }),
    clientName: z
      .string()
      .nullable()
      .describe('As the program calls itself; null when it is no longer registered'),
    scopes: z.array(z.string()),
    grantedTime: IsoTime,
    expireTime: IsoTime,
    lastTokenTime: MaybeTime.describe(
      'When the program last got a token, which it uses for 15 minutes; null: not known any more',
    ),
  })
  .meta({ id: 'Grant' });
type Grant = z.output<typeof Grant>;
export const Grants = pageOfAnswers(Grant);

export const ListGrants = input({
  /** `tenant`: those of all its members, for callers that may list connections. */
  of: z.enum(['own', 'tenant']).default('own'),
  principalId: Id.optional(),
  page: Page,
});
export const RevokeGrant = input({ grantId: Text(128).min(1) });

/** Unexpired grants in this tenant, newest first: the caller's, or those of its members (403). */
export const list: Operation<z.output<typeof ListGrants>, Paged<Grant>> = async (
  app,
  caller,
  given,
) => {
  const { tenantId } = caller;
  if (given.of === 'tenant') demand(caller, LOOK);
  const principalId = given.of === 'own' ? caller.principalId : given.principalId;
  return inOneTripAcrossTenants(app.db, 'oauth', (q) => {
    const found = grantsOf(q, tenantId, principalId)
      .leftJoin('svc_oauth_store as registered', (join) =>
        join
          .on('registered.kind', '=', 'Client')
          .on('registered.id', '=', sql<string>`given.payload ->> 'clientId'`),
      )
      .leftJoin('svc_oauth_client as client', (join) =>
        join.on('client.clientId', '=', sql<string>`given.payload ->> 'clientId'`),
      )
      .select([
        'client.clientName',
        sql<string | null>`registered.payload ->> 'client_name'`.as('registeredName'),
        sql<string | null>`(
          select max((token.payload ->> 'issuedMs')::bigint) from svc_oauth_store token
          where token.grant_id = given.id and token.kind in ('AccessToken', 'RefreshToken'))`.as(
          'lastTokenMs',
        ),
      ])
      .where('given.expiresAt', '>', new Date(app.clock.now()))
      .orderBy('given.expiresAt', 'desc')
      .orderBy('given.id');
    return pageOf(found, given.page, shown);
  });
};

type Row = {
  id: string;
  uid: string | null;
  payload: unknown;
  expiresAt: Date | null;
  clientName: string | null;
  registeredName: string | null;
  lastTokenMs: string | null;
};

function shown({ id, uid, payload, expiresAt, lastTokenMs, ...names }: Row): Grant {
  const { clientId, issuedMs, openid } = Kept.parse(payload);
  return {
    grantId: id,
    principalId: personOf(uid ?? '')?.principalId ?? '0',
    clientId,
    clientName: names.clientName ?? names.registeredName,
    scopes: openid.scope.split(' '),
    grantedTime: new Date(issuedMs).toISOString(),
    expireTime: expiresAt?.toISOString() ?? '',
    lastTokenTime: lastTokenMs === null ? null : new Date(Number(lastTokenMs)).toISOString(),
  };
}

/**
 * Ends a grant with its codes, tokens and sessions at once, in every process. NotFound (404) for a grant that the caller
 * neither gave nor may end, Forbidden (403) for that of a person with permissions the caller lacks.
 */
export const revoke: Operation<z.output<typeof RevokeGrant>, true> = async (
  app,
  caller,
  { grantId },
) => {
  const { tenantId } = caller;
  const owner = allows(caller, END) ? undefined : caller.principalId;
  await inTenant(app.db, tenantId, async (q) => {
    const ended = await acrossTenantsWithin(q, 'oauth', async () => {
      const found = await grantsOf(q, tenantId, owner)
        .where('given.id', '=', grantId)
        .executeTakeFirst();
      const person = personOf(found?.uid ?? '');
      if (!found || !person) throw new NotFound('Grant');
      if (person.principalId !== caller.principalId)
        await demandRightsOf(q, caller, person.principalId);
      await endGrantIn(q, grantId);
      return { clientId: Kept.parse(found.payload).clientId, person };
    });
    await audit(app, q, caller, {
      action: 'REVOKE',
      resourceType: 'OAUTH_GRANT',
      resourceId: grantId,
      resourceName: ended.clientId,
      detail: { for: ended.person.principalId },
    });
  });
  return true;
};

/** The grants of a person in a tenant, or of all its people. */
function grantsOf(q: Queries, tenantId: string, principalId: string | undefined) {
  const grants = q
    .selectFrom('svc_oauth_store as given')
    .select(['given.id', 'given.uid', 'given.payload', 'given.expiresAt'])
    .where('given.kind', '=', 'Grant');
  return principalId === undefined
    ? grants.where('given.uid', 'like', `${tenantId}.%`)
    : grants.where('given.uid', '=', accountIdOf({ tenantId, principalId }));
}

type Issued = { clientId: string; tenantId: string; principalId: string };

/**
 * Deletes all that a client was issued for a principal: its own tokens, and the grants of a person with their codes and
 * tokens. A refresh token ends too, as RFC 7009 has it for a grant that is revoked. In a transaction over all tenants.
 */
export async function endIssued(q: Queries, { clientId, ...principal }: Issued): Promise<void> {
  const ofClient = sql<boolean>`payload ->> 'clientId' = ${clientId}`;
  const grants = q
    .selectFrom('svc_oauth_store')
    .select('id')
    .where('kind', '=', 'Grant')
    .where('uid', '=', accountIdOf(principal))
    .where(ofClient);
  await q
    .deleteFrom('svc_oauth_store')
    .where((row) =>
      row.or([
        // A client that acts for a service account acts for no other.
        row.and([row('kind', '=', 'ClientCredentials'), ofClient]),
        row('grantId', 'in', grants),
        row.and([row('kind', '=', 'Grant'), row('id', 'in', grants)]),
      ]),
    )
    .execute();
}
