import { z } from 'zod';

import type { Operation } from '../../kernel/app/app.ts';
import { get, Pieces, post, type Route } from '../../kernel/app/route.ts';
import { Done } from '../../kernel/entity/answer.ts';
import { ById } from '../../kernel/input/input.ts';
import { metadataUrlOf, resourceOf, SCOPES_OF } from '../permission/audience.ts';
import { SCOPES } from '../permission/scope.ts';
import * as mcpAudit from './audit-list.ts';
import * as connectionTool from './connection-tool.ts';
import * as connection from './connection.ts';
import * as tool from './tool.ts';
import { madeByPlatform } from './untrusted.ts';

const Metadata = z
  .object({
    endpoint: madeByPlatform(z.string()),
    resource: z.string().describe('For the resource parameter of a token request (RFC 8707)'),
    resourceMetadata: z.string().describe('Its metadata (RFC 9728)'),
    authorizationServers: z.array(z.string()),
    scopes: z.array(z.enum(SCOPES)),
    protocolVersions: z.array(z.string()),
    tools: z.number().int(),
  })
  .meta({ id: 'McpMetadata' });

/** Addresses and scopes an MCP client needs to connect (docs/specification/tools.md, MCP). */
const metadata: Operation<unknown, Metadata> = async (app) => ({
  endpoint: resourceOf(app, 'mcp'),
  resource: resourceOf(app, 'mcp'),
  resourceMetadata: metadataUrlOf('mcp', app.config.baseUrl),
  authorizationServers: [app.config.baseUrl],
  scopes: [...SCOPES_OF.mcp],
  protocolVersions: ['2025-11-25', '2026-07-28'],
  tools: app.tools.filter(({ opens }) => !opens).length,
});

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

type Metadata = z.output<typeof Metadata>;
