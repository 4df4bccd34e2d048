import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import type { McpConnectionTable } from '../../db/schema/access.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenantsWithin, inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { AnswerExt, AnswerId, MaybeTime, numbered, stored } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { NotFound, Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit, entriesOf } from '../audit/audit.ts';
import { peopleClientStands } from '../oauth/store/client-metadata.ts';
import { endIssued } from '../oauth/store/grants.ts';
import { requireMember } from '../people/member.ts';
import { PrincipalType } from '../people/principal.ts';
import { demandRightsOf } from '../permission/permission.ts';

const MAX_LISTED = 500;

const GrantType = z.enum(['authorization_code', 'client_credentials']);

/** What limits an MCP client, acting for one principal, to some tools; its flag is a number. */
export const Connection = stored('McpConnection', {
  connectionName: z.string().meta({ examples: ['Shift assistant'] }),
  clientId: z.string().meta({ examples: ['svc_5f0c1d2e3a4b5c6d7e8f9a0b'] }),
  principalId: AnswerId,
  principalType: PrincipalType,
  tenantId: AnswerId,
  grantType: GrantType,
  enableFlag: numbered(EnableFlag),
  expireTime: MaybeTime,
  revokeTime: MaybeTime,
  lastUsedTime: MaybeTime,
  readOnlyFlag: numbered({ NO: 0, YES: 1 }),
  connectionExt: AnswerExt,
});
type Connection = z.output<typeof Connection.schema>;
type Row = Selectable<McpConnectionTable>;

export const AddConnection = input({
  connectionName: Text(64).min(1).optional(),
  clientId: Text(256).min(1),
  principalId: Id.optional(),
  principalType: PrincipalType.optional(),
  tenantId: Id.optional(),
  grantType: GrantType.optional(),
  expireTime: z.iso.datetime({ offset: true }).nullish(),
  remark: Text(512).optional(),
});
export const RestoreConnection = input({
  id: Id,
  expireTime: z.iso.datetime({ offset: true }).nullish(),
});
/** Audit entries about connections. */
export const entry = entriesOf('MCP_CONNECTION', 'connectionName');

/**
 * Creates a connection: limits a client, acting for one principal, to the tools set later; none until then.
 * A revoked or expired connection of the same name is restored with its tools. Throws NotFound (404) for a
 * client or principal of another tenant, Unprocessable (422) when the client does not act for that
 * principal, Forbidden (403) when the principal holds a permission the caller lacks.
 */
export const add: Operation<z.infer<typeof AddConnection>, Connection> = async (
  app,
  caller,
  given,
) => {
  const { tenantId } = caller;
  if (given.tenantId !== undefined && given.tenantId !== tenantId) throw new NotFound('Tenant');
  const adding = inTenant(app.db, tenantId, async (q) => {
    const account = await accountOf(app, q, caller, given.clientId);
    const principal = await requireMember(
      q,
      tenantId,
      given.principalId ?? account ?? caller.principalId,
    );
    const grantType = account ? 'client_credentials' : 'authorization_code';
    if (account && account !== principal.id) {
      throw new Unprocessable('The client acts for another service account');
    }
    if (!account && principal.principalType !== 'USER') {
      throw new Unprocessable('The client acts for people');
    }
    if (given.grantType && given.grantType !== grantType) {
      throw new Unprocessable(`The client uses ${grantType}`);
    }
    if (given.principalType && given.principalType !== principal.principalType) {
      throw new Unprocessable(`The principal is a ${principal.principalType}`);
    }
    await demandRightsOf(q, caller, principal.id);
    const connectionName = given.connectionName ?? given.clientId;
    const known = await q
      .selectFrom('svc_mcp_connection')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .where('principalId', '=', principal.id)
      .where('clientId', '=', given.clientId)
      .where('connectionName', '=', connectionName)
      .forUpdate()
      .executeTakeFirst();
    if (known && !stands(app, known)) {
      return standAgain(app, q, caller, known, given.expireTime ?? null);
    }
    const connection = await q
      .insertInto('svc_mcp_connection')
      .values({
        connectionName,
        clientId: given.clientId,
        principalId: principal.id,
        principalType: principal.principalType,
        tenantId,
        grantType,
        expireTime: given.expireTime ? new Date(given.expireTime) : null,
        ...(given.remark === undefined ? {} : { remark: given.remark }),
        ...created(app, caller),
      })
      .returningAll()
      .executeTakeFirstOrThrow();
    await audit(app, q, caller, entry('CREATE', connection));
    return connection;
  });
  const connection = await conflictIfTaken('connection', adding);
  return Connection.of(connection);
};

/** The service account a client acts for, null for a client of users; NotFound (404) for another tenant's. */
async function accountOf(app: App, q: Queries, caller: Caller, clientId: string) {
  const client = await q
    .selectFrom('svc_oauth_client')
    .select('serviceAccountPrincipalId')
    .where('tenantId', '=', caller.tenantId)
    .where('clientId', '=', clientId)
    .executeTakeFirst();
  if (client) {
    return client.serviceAccountPrincipalId === '0' ? null : client.serviceAccountPrincipalId;
  }
  const elsewhere = await acrossTenantsWithin(q, 'oauth', async () => {
    const foreign = await q
      .selectFrom('svc_oauth_client')
      .select('id')
      .where('clientId', '=', clientId)
      .executeTakeFirst();
    return !foreign && (await peopleClientStands(app, q, clientId));
  });
  if (!elsewhere) throw new NotFound('OAuth client');
  return null;
}

/** The connections of the tenant, newest first. */
export const list: Operation<unknown, Connection[]> = (app, { tenantId }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const rows = await q
      .selectFrom('svc_mcp_connection')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('id', 'desc')
      .limit(MAX_LISTED)
      .execute();
    return rows.map(Connection.of);
  });

/** Revokes a connection: from then on every node refuses its client and gives the reason. */
export const revoke: Operation<ById, true> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    const connection = await rowOf(q, 'svc_mcp_connection', tenantId, id);
    await demandRightsOf(q, caller, connection.principalId);
    const change = touched(app, caller);
    await q
      .updateTable('svc_mcp_connection')
      .set({ enableFlag: EnableFlag.DISABLE, revokeTime: change.operateTime, ...change })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    await audit(app, q, caller, entry('DISABLE', connection));
  });
  return true;
};

const stands = (
  app: App,
  { enableFlag, expireTime }: Pick<Row, 'enableFlag' | 'expireTime'>,
): boolean =>
  enableFlag === EnableFlag.ENABLE && (!expireTime || expireTime.getTime() > app.clock.now());

/**
 * Enables a connection again. If it was revoked, what its client was issued before stays void: tokens, codes and grants
 * end, and the client authorizes anew.
 */
async function standAgain(
  app: App,
  q: Queries,
  caller: Caller,
  known: Row,
  expireTime: string | null,
): Promise<Row> {
  const ends = expireTime === null ? null : new Date(expireTime);
  if (ends && ends.getTime() <= app.clock.now()) {
    throw new Unprocessable('The connection would have expired already');
  }
  const restored = await q
    .updateTable('svc_mcp_connection')
    .set({
      enableFlag: EnableFlag.ENABLE,
      revokeTime: null,
      expireTime: ends,
      ...touched(app, caller),
    })
    .where('tenantId', '=', caller.tenantId)
    .where('id', '=', known.id)
    .returningAll()
    .executeTakeFirstOrThrow();
  if (known.enableFlag !== EnableFlag.ENABLE && !(await hasAnother(app, q, known)))
    await acrossTenantsWithin(q, 'oauth', () => endIssued(q, known));
  await audit(app, q, caller, entry('ENABLE', restored));
  return restored;
}

/** Whether the client acts for the principal through another connection too, which its tokens are of as well. */
async function hasAnother(
  app: App,
  q: Queries,
  { id, tenantId, principalId, clientId }: Row,
): Promise<boolean> {
  const others = await q
    .selectFrom('svc_mcp_connection')
    .select(['enableFlag', 'expireTime'])
    .where('tenantId', '=', tenantId)
    .where('principalId', '=', principalId)
    .where('clientId', '=', clientId)
    .where('id', '<>', id)
    .execute();
  return others.some((other) => stands(app, other));
}

/**
 * Enables a revoked or expired connection again, with its tools, until `expireTime` or without end. Throws
 * Forbidden (403) as `revoke` does.
 */
export const restore: Operation<z.infer<typeof RestoreConnection>, Connection> = async (
  app,
  caller,
  { id, expireTime },
) => {
  const { tenantId } = caller;
  const restored = await inTenant(app.db, tenantId, async (q) => {
    const connection = await rowOf(q, 'svc_mcp_connection', tenantId, id);
    await demandRightsOf(q, caller, connection.principalId);
    return standAgain(app, q, caller, connection, expireTime ?? null);
  });
  return Connection.of(restored);
};
