import { z } from 'zod';

import { created } from '../../db/stamp.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { rowOf } from '../../kernel/entity/row.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { type ById, input } from '../../kernel/input/input.ts';
import { Text } from '../../kernel/input/text.ts';
import { audit } from '../audit/audit.ts';
import { demandRightsOf } from '../permission/permission.ts';
import { entry } from './connection.ts';

const MAX_TOOLS = 200;

export const ReplaceTools = input({
  connectionId: Id,
  toolIds: z.array(Text(128)).max(MAX_TOOLS).default([]),
});

/** Replaces the tools a connection may use; Unprocessable (422) lists unknown ones. */
export const replace: Operation<z.infer<typeof ReplaceTools>, true> = async (
  app,
  caller,
  { connectionId, toolIds },
) => {
  const { tenantId } = caller;
  const wanted = [...new Set(toolIds)];
  await inTenant(app.db, tenantId, async (q) => {
    const connection = await rowOf(q, 'svc_mcp_connection', tenantId, connectionId);
    await demandRightsOf(q, caller, connection.principalId);
    const known = await q.selectFrom('svc_mcp_tool_catalog').select('toolId').execute();
    const names = new Set(known.map(({ toolId }) => toolId));
    const unknown = wanted.filter((toolId) => !names.has(toolId));
    if (unknown.length > 0) {
      throw new Unprocessable('Unknown tools', { toolIds: unknown.slice(0, 20) });
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
    await audit(app, q, caller, {
      ...entry('UPDATE', connection),
      detail: { toolIds: wanted },
    });
  });
  return true;
};

/** The tools a connection may use; NotFound (404). */
export const list: Operation<ById, string[]> = async (app, { tenantId }, { id }) => {
  const rows = await inOneTrip(app.db, tenantId, async (q) => {
    const shown = q
      .selectFrom('svc_mcp_connection_tool')
      .select('toolId')
      .where('connectionId', '=', id)
      .where('enableFlag', '=', EnableFlag.ENABLE)
      .orderBy('toolId');
    const [, found] = await Promise.all([
      rowOf(q, 'svc_mcp_connection', tenantId, id),
      shown.execute(),
    ]);
    return found;
  });
  return rows.map(({ toolId }) => toolId);
};
