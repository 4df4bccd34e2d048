import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { App, Caller, Operation } from '../../app.ts';
import { NotFound, Unprocessable } from '../../core/errors.ts';
import { EnableFlag } from '../../core/input/flag.ts';
import { Id } from '../../core/input/id.ts';
import { type ById, input } from '../../core/input/input.ts';
import { Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import type { McpConnectionTable } from '../../db/schema/access.ts';
import { created, touched } from '../../db/stamp.ts';
import { conflictIfTaken } from '../../db/taken.ts';
import { acrossTenantsWithin, inTenant } from '../../db/tenant.ts';
import { type AuditAction, audit } from '../audit/audit.ts';
import { peopleClientStands } from '../oauth/client/client-metadata.ts';
import { requireMember } from '../people/member.ts';
import { PrincipalType } from '../people/principal.ts';
import { demandRightsOf } from '../rights/permission.ts';
import { forgetWhitelists } from './whitelist.ts';

const MAX_LISTED = 500;
const MAX_TOOLS = 200;

export const AddConnection = input({
  connectionName: Text(64).min(1).optional(),
  clientId: Text(256).min(1),
  principalId: Id.optional(),
  principalType: PrincipalType.optional(),
  tenantId: Id.optional(),
  grantType: z.enum(['authorization_code', 'client_credentials']).optional(),
  expireTime: z.iso.datetime({ offset: true }).nullish(),
  remark: Text(512).optional(),
});
export const RestoreConnection = input({
  id: Id,
  expireTime: z.iso.datetime({ offset: true }).nullish(),
});
export const ReplaceTools = input({
  connectionId: Id,
  toolIds: z.array(Text(128)).max(MAX_TOOLS).default([]),
});

export type Connection = Selectable<McpConnectionTable>;

const entry = (
  action: AuditAction,
  { id, connectionName }: { id: string; connectionName: string },
  detail?: Record<string, unknown>,
) => ({
  action,
  resourceType: 'MCP_CONNECTION',
  resourceId: id,
  resourceName: connectionName,
  ...(detail ? { detail } : {}),
});

async function required(q: Queries, tenantId: string, id: string) {
  const connection = await q
    .selectFrom('svc_mcp_connection')
    .selectAll()
    .where('tenantId', '=', tenantId)
    .where('id', '=', id)
    .executeTakeFirst();
  if (!connection) throw new NotFound('MCP connection');
  return connection;
}

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
  forgetWhitelists(app, tenantId);
  return connection;
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
  inTenant(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_mcp_connection')
      .selectAll()
      .where('tenantId', '=', tenantId)
      .orderBy('id', 'desc')
      .limit(MAX_LISTED)
      .execute(),
  );

/** Revokes a connection: within a second every node refuses its client and gives the reason. */
export const revoke: Operation<ById, boolean> = async (app, caller, { id }) => {
  const { tenantId } = caller;
  await inTenant(app.db, tenantId, async (q) => {
    const connection = await required(q, tenantId, id);
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
  forgetWhitelists(app, tenantId);
  return true;
};

const stands = (app: App, { enableFlag, expireTime }: Connection): boolean =>
  enableFlag === EnableFlag.ENABLE && (!expireTime || expireTime.getTime() > app.clock.now());

async function standAgain(
  app: App,
  q: Queries,
  caller: Caller,
  { id }: Connection,
  expireTime: string | null,
): Promise<Connection> {
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
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
  await audit(app, q, caller, entry('ENABLE', restored));
  return restored;
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
    const connection = await required(q, tenantId, id);
    await demandRightsOf(q, caller, connection.principalId);
    return standAgain(app, q, caller, connection, expireTime ?? null);
  });
  forgetWhitelists(app, tenantId);
  return restored;
};

/** Replaces the tools a connection may use; Unprocessable (422) lists unknown ones. */
export const replaceTools: Operation<z.infer<typeof ReplaceTools>, boolean> = async (
  app,
  caller,
  { connectionId, toolIds },
) => {
  const { tenantId } = caller;
  const wanted = [...new Set(toolIds)];
  await inTenant(app.db, tenantId, async (q) => {
    const connection = await required(q, tenantId, connectionId);
    await demandRightsOf(q, caller, connection.principalId);
    const known = await q.selectFrom('svc_mcp_tool_catalog').select('toolId').execute();
    const names = new Set(known.map(({ toolId }) => toolId));
    const unknown = wanted.filter((toolId) => !names.has(toolId));
    if (unknown.length > 0) {
      throw new Unprocessable('There are tools nobody knows', { toolIds: unknown.slice(0, 20) });
    }
    await q
      .deleteFrom('svc_mcp_connection_tool')
      .where('connectionId', '=', connectionId)
      .execute();
    if (wanted.length > 0) {
      await q
        .insertInto('svc_mcp_connection_tool')
        .values(wanted.map((toolId) => ({ connectionId, toolId, ...created(app, caller) })))
        .execute();
    }
    await audit(app, q, caller, entry('UPDATE', connection, { toolIds: wanted }));
  });
  forgetWhitelists(app, tenantId);
  return true;
};

/** The tools a connection may use; NotFound (404). */
export const tools: Operation<ById, string[]> = async (app, { tenantId }, { id }) => {
  const rows = await inTenant(app.db, tenantId, async (q) => {
    await required(q, tenantId, id);
    return q
      .selectFrom('svc_mcp_connection_tool')
      .select('toolId')
      .where('connectionId', '=', id)
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .orderBy('toolId')
      .execute();
  });
  return rows.map(({ toolId }) => toolId);
};
