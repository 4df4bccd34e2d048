import type { Selectable } from 'kysely';
import { z } from 'zod';

import type { McpConnectionTable } from '../../db/schema/access.ts';
import { touched } from '../../db/stamp.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { IsoTime } from '../../kernel/entity/answer.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Budgets, BUDGETS, type Limits } from '../../kernel/process/agent-budget.ts';
import { audit } from '../audit/audit.ts';
import { entry } from '../connection/connection.ts';
import { demandRightsOf } from '../permission/permission.ts';
import { readUsage, usageIn } from './usage-store.ts';
import { freeAt, type Subject, totalOf, type Usage } from './usage.ts';

const Used = z.object({
  used: z.number().int(),
  limit: z.number().int().nullable().describe('null: none'),
  freeAt: IsoTime.nullable().describe('When some is free again; null: it is now'),
});
export const ConnectionUsage = z
  .object({
    budget: z.enum(BUDGETS),
    connection: Used,
    principal: Used.describe('With all its connections and chats'),
  })
  .meta({ id: 'McpConnectionUsage' });
type ConnectionUsage = z.output<typeof ConnectionUsage>;

export const SetBudgets = input({ connectionId: Id, budgets: Budgets });

type Connection = Pick<Selectable<McpConnectionTable>, 'id' | 'principalId' | 'budgets'>;

/** What the client of a connection used in the last hour, of what it may; up to a second old. Throws NotFound (404). */
export const usage: Operation<ById, ConnectionUsage[]> = (app, { tenantId }, { id }) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const now = app.clock.now();
    const [connection, rows] = await Promise.all([
      rowOf(q, 'svc_mcp_connection', tenantId, id),
      readUsage(q, now, { tenantId, connectionId: id }),
    ]);
    const of = (subject: Subject): Usage => usageIn(rows, subject);
    return shown(app, now, connection, {
      connection: of({ tenantId, kind: 'connection', id }),
      principal: of({ tenantId, kind: 'principal', id: connection.principalId }),
    });
  });

function shown(
  { config }: App,
  now: number,
  { budgets }: Connection,
  of: { connection: Usage; principal: Usage },
): ConnectionUsage[] {
  const limits: Record<keyof typeof of, Limits> = {
    connection: { ...config.budgets.connection, ...Budgets.parse(budgets) },
    principal: config.budgets.principal,
  };
  return BUDGETS.map((budget) => {
    const used = (kind: keyof typeof of) => {
      const limit = limits[kind][budget];
      const total = totalOf(of[kind], now)[budget];
      const isFree = limit === null || total < limit;
      const free = isFree ? null : new Date(freeAt(of[kind], budget, limit, now)).toISOString();
      return { used: total, limit, freeAt: free };
    };
    return { budget, connection: used('connection'), principal: used('principal') };
  });
}

/**
 * Replaces the budgets of a connection that differ from the default. Throws Unprocessable (422) for more than its
 * principal has, Forbidden (403) as `revoke` does.
 */
export const setBudgets: Operation<z.output<typeof SetBudgets>, true> = async (
  app,
  caller,
  { connectionId: id, budgets },
) => {
  const { tenantId } = caller;
  for (const budget of BUDGETS) {
    const most = app.config.budgets.principal[budget];
    const wanted = budgets[budget];
    if (most !== null && wanted !== undefined && (wanted === null || wanted > most))
      throw new Unprocessable(
        `A principal has ${most} of ${budget} in an hour, with all its connections`,
      );
  }
  await inTenant(app.db, tenantId, async (q) => {
    const connection = await rowOf(q, 'svc_mcp_connection', tenantId, id);
    await demandRightsOf(q, caller, connection.principalId);
    await q
      .updateTable('svc_mcp_connection')
      .set({ budgets: JSON.stringify(budgets), ...touched(app, caller) })
      .where('tenantId', '=', tenantId)
      .where('id', '=', id)
      .execute();
    await audit(app, q, caller, { ...entry('UPDATE', connection), detail: { budgets } });
  });
  return true;
};
