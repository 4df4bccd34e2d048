import { createHash } from 'node:crypto';

import { z } from 'zod';

import { contains } from '../../db/query-page.ts';
import { acrossTenants, inOneTrip } from '../../db/tenant.ts';
import type { App, Operation, Tool, ToolAnnotations } from '../../kernel/app/app.ts';
import { AnswerExt, numbered, stored } from '../../kernel/entity/answer.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { input } from '../../kernel/input/input.ts';
import { inputSchema } from '../../kernel/input/json-schema.ts';
import { Text } from '../../kernel/input/text.ts';
import { Limit } from '../audit/audit-rows.ts';
import { madeByPlatform } from './untrusted.ts';

export const RiskLevel = z.enum(['LOW', 'MEDIUM', 'HIGH']);

const Hint = numbered({ NO: 0, YES: 1 });

/** A tool or resource as the catalogue describes it; its flags are numbers. */
export const CatalogTool = stored('McpTool', {
  remark: madeByPlatform(z.string().describe('What the tool does')),
  toolId: z.string().meta({ examples: ['list_devices'] }),
  toolName: z.string().meta({ examples: ['list_devices'] }),
  toolTitle: z.string().meta({ examples: ['List devices'] }),
  toolCategory: z.string().meta({ examples: ['manager'] }),
  serviceName: z.string().meta({ examples: ['svc-center-manager'] }),
  apiCode: z.string(),
  permissionCode: z.string().meta({ examples: ['svc-center-manager:device:list'] }),
  httpMethod: z.string().meta({ examples: ['POST'] }),
  apiPath: z.string().meta({ examples: ['/mcp'] }),
  schemaHash: z.string().describe('SHA-256 of the input schema'),
  riskLevel: RiskLevel,
  readOnlyHint: Hint,
  destructiveHint: Hint,
  idempotentHint: Hint,
  openWorldHint: Hint,
  enableFlag: numbered(EnableFlag),
  toolExt: AnswerExt,
});
type CatalogTool = z.output<typeof CatalogTool.schema>;

export const ToolQuery = input({
  keyword: Text(64)
    .meta({ examples: ['alarm'] })
    .optional(),
  riskLevel: RiskLevel.optional(),
  limit: Limit,
});

/** Risk by scope: reading LOW, asking a device MEDIUM, proposing a change HIGH. */
export const riskOf = (tool: Pick<Tool, 'scope'>): z.infer<typeof RiskLevel> =>
  ({ 'svc:read': 'LOW', 'svc:read-device': 'MEDIUM', 'svc:propose': 'HIGH' } as const)[tool.scope];

const bit = (hint: boolean): number => (hint ? 1 : 0);

/** The names a connection may list: tools, without those that only lead to others, and resources by their URI. */
const offers = ({ tools, resources }: Pick<App, 'tools' | 'resources'>) => [
  ...tools.filter(({ opens }) => !opens),
  ...resources.map((resource) => ({
    ...resource,
    name: resource.uri,
    input: resource.params,
    annotations: READ_ONLY,
  })),
];

const READ_ONLY: ToolAnnotations = {
  readOnlyHint: true,
  destructiveHint: false,
  idempotentHint: true,
  openWorldHint: false,
};

/**
 * Upserts the registry's tools and resources into the catalogue and deletes rows that are no longer
 * registered; returns the number registered. An empty registry changes nothing. Safe from several processes
 * at once.
 */
export async function refreshCatalog(app: App): Promise<number> {
  const now = new Date(app.clock.now());
  const rows = offers(app)
    .map((tool) => ({
      toolId: tool.name,
      toolName: tool.name,
      toolTitle: tool.title,
      toolCategory: tool.domain,
      serviceName: tool.permission.split(':')[0] ?? '',
      permissionCode: tool.permission,
      httpMethod: 'POST',
      apiPath: '/mcp',
      schemaHash: createHash('sha256')
        .update(JSON.stringify(inputSchema(tool)))
        .digest('hex'),
      riskLevel: riskOf(tool),
      readOnlyHint: bit(tool.annotations.readOnlyHint),
      destructiveHint: bit(tool.annotations.destructiveHint),
      idempotentHint: bit(tool.annotations.idempotentHint),
      openWorldHint: bit(tool.annotations.openWorldHint),
      toolExt: JSON.stringify({ description: tool.description, scope: tool.scope }),
      remark: tool.description,
      createTime: now,
      operateTime: now,
    }))
    .toSorted((one, other) => (one.toolId < other.toolId ? -1 : 1));
  if (rows.length === 0) return 0;
  await acrossTenants(app.db, 'seed', async (q) => {
    await q
      .insertInto('svc_mcp_tool_catalog')
      .values(rows)
      .onConflict((conflict) =>
        conflict.column('toolId').doUpdateSet((row) => ({
          toolTitle: row.ref('excluded.toolTitle'),
          toolCategory: row.ref('excluded.toolCategory'),
          permissionCode: row.ref('excluded.permissionCode'),
          schemaHash: row.ref('excluded.schemaHash'),
          riskLevel: row.ref('excluded.riskLevel'),
          readOnlyHint: row.ref('excluded.readOnlyHint'),
          destructiveHint: row.ref('excluded.destructiveHint'),
          idempotentHint: row.ref('excluded.idempotentHint'),
          openWorldHint: row.ref('excluded.openWorldHint'),
          toolExt: row.ref('excluded.toolExt'),
          remark: row.ref('excluded.remark'),
          operateTime: row.ref('excluded.operateTime'),
        })),
      )
      .execute();
    await q
      .deleteFrom('svc_mcp_tool_catalog')
      .where(
        'toolId',
        'not in',
        rows.map(({ toolId }) => toolId),
      )
      .execute();
  });
  return rows.length;
}

/** Endpoint of `refreshCatalog`; tenants cannot change what the catalogue contains. */
export const refresh: Operation<unknown, number> = (app) => refreshCatalog(app);

/** The catalogue, shared by all tenants; `keyword` searches name, title and description. */
export const list: Operation<z.infer<typeof ToolQuery>, CatalogTool[]> = (
  app,
  { tenantId },
  { keyword, riskLevel, limit },
) =>
  inOneTrip(app.db, tenantId, async (q) => {
    let found = q.selectFrom('svc_mcp_tool_catalog').selectAll().orderBy('toolId').limit(limit);
    if (riskLevel) found = found.where('riskLevel', '=', riskLevel);
    if (keyword) {
      const pattern = contains(keyword);
      found = found.where((row) =>
        row.or([
          row('toolName', 'ilike', pattern),
          row('toolTitle', 'ilike', pattern),
          row('remark', 'ilike', pattern),
        ]),
      );
    }
    return (await found.execute()).map(CatalogTool.of);
  });
