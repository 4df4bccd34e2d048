import { z } from 'zod';

import { get, Pieces, post, type Route } from '../../kernel/app/route.ts';
import { Done } from '../../kernel/entity/answer.ts';
import { ById } from '../../kernel/input/input.ts';
import * as mcpAudit from './audit-list.ts';
import * as connectionTool from './connection-tool.ts';
import * as connection from './connection.ts';
import { Metadata, metadata } from './metadata.ts';
import * as tool from './tool.ts';

const Ignored = z.unknown();

/** Connections of MCP clients, the tool catalogue and the audit of calls. */
export const routes: readonly Route[] = [
  get(
    '/mcp/metadata',
    {
      needs: 'mcp:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Where MCP clients connect',
      input: Ignored,
      output: Metadata,
    },
    metadata,
  ),
  post(
    '/mcp/connection/list',
    {
      needs: 'mcp:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'The MCP connections',
      input: Ignored,
      output: z.array(connection.Connection.schema),
    },
    connection.list,
  ),
  post(
    '/mcp/connection/add',
    {
      needs: 'mcp:add',
      scope: 'interactive',
      risk: 'add',
      summary: 'Limits a client to the tools named for this connection',
      input: connection.AddConnection,
      output: connection.Connection.schema,
    },
    connection.add,
  ),
  post(
    '/mcp/connection/revoke',
    {
      needs: 'mcp:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Ends an MCP connection',
      input: ById,
      output: Done,
    },
    connection.revoke,
  ),
  post(
    '/mcp/connection/restore',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Lets a revoked or expired MCP connection stand again',
      reason: 'What was revoked can be restored',
      input: connection.RestoreConnection,
      output: connection.Connection.schema,
    },
    connection.restore,
  ),
  post(
    '/mcp/connection/tools/replace',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Sets which tools a connection may use',
      input: connectionTool.ReplaceTools,
      output: Done,
    },
    connectionTool.replace,
  ),
  get(
    '/mcp/connection/tools/list',
    {
      needs: 'mcp:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'The tools a connection may use',
      input: ById,
      output: z.array(z.string()),
    },
    connectionTool.list,
  ),
  post(
    '/mcp/tool/catalog/refresh',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Renews the tool catalogue',
      input: Ignored,
      output: z.number().int(),
    },
    tool.refresh,
  ),
  post(
    '/mcp/tool/list',
    {
      needs: 'mcp:list',
      scope: 'svc:read',
      risk: 'read',
      summary: 'The tool catalogue',
      input: tool.ToolQuery,
      output: z.array(tool.CatalogTool.schema),
    },
    tool.list,
  ),
  post(
    '/mcp/audit/list',
    {
      needs: 'mcp:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'Calls of tools over MCP',
      input: mcpAudit.McpAuditQuery,
      output: z.array(mcpAudit.McpAudit.schema),
    },
    mcpAudit.list,
  ),
  {
    ...post(
      '/mcp/audit/export',
      {
        needs: 'mcp:list',
        scope: 'interactive',
        risk: 'read',
        summary: 'Calls of tools over MCP as a table (text/csv), of at most 366 days',
        reason: 'docs/specification/identity.md, Accounts',
        input: mcpAudit.McpAuditExport,
        output: Pieces,
      },
      mcpAudit.exportAudit,
    ),
    csv: 'stream',
  },
];
