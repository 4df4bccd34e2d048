import { z } from 'zod';

import type { Operation } from '../../app.ts';
import { ById } from '../../core/input/input.ts';
import { get, post, type Route } from '../../route.ts';
import { metadataUrlOf, resourceOf, SCOPES_OF } from '../oauth/audience.ts';
import * as clients from '../oauth/client/clients.ts';
import * as mcpAudit from './audit.ts';
import * as connection from './connection.ts';
import * as tool from './tool.ts';

const Nothing = z.unknown();

/** Addresses and scopes an MCP client needs to connect (docs/specification/tools.md, MCP). */
const metadata: Operation<unknown, object> = async (app) => ({
  endpoint: resourceOf(app, 'mcp'),
  resource: resourceOf(app, 'mcp'),
  resourceMetadata: metadataUrlOf('mcp', app.config.baseUrl),
  authorizationServers: [app.config.baseUrl],
  scopes: SCOPES_OF.mcp,
  protocolVersions: ['2025-11-25', '2026-07-28'],
  tools: app.tools.length,
});

/** Routes of MCP clients, connections, the tool catalogue and the audit of calls. */
export const mcp: readonly Route[] = [
  get(
    '/mcp/metadata',
    {
      needs: 'mcp:get',
      scope: 'svc:read',
      risk: 'read',
      summary: 'Where MCP clients connect',
      input: Nothing,
    },
    metadata,
  ),
  post(
    '/mcp/client/register',
    {
      needs: 'mcp:add',
      scope: 'interactive',
      risk: 'secret',
      summary: 'Register an OAuth client for a service account',
      input: clients.RegisterClient,
    },
    clients.register,
  ),
  post(
    '/mcp/client/list',
    {
      needs: 'mcp:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'The OAuth clients',
      input: clients.ListClients,
    },
    clients.list,
  ),
  post(
    '/mcp/client/delete',
    {
      needs: 'mcp:delete',
      scope: 'interactive',
      risk: 'remove',
      summary: 'Delete an OAuth client',
      input: clients.ById,
    },
    clients.remove,
  ),
  post(
    '/mcp/connection/list',
    {
      needs: 'mcp:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'The MCP connections',
      input: Nothing,
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
      input: connection.RestoreConnection,
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
      input: connection.ReplaceTools,
    },
    connection.replaceTools,
  ),
  get(
    '/mcp/connection/tools/list',
    {
      needs: 'mcp:list',
      scope: 'interactive',
      risk: 'read',
      summary: 'The tools a connection may use',
      input: ById,
    },
    connection.tools,
  ),
  post(
    '/mcp/tool/catalog/refresh',
    {
      needs: 'mcp:update',
      scope: 'interactive',
      risk: 'update',
      summary: 'Renews the tool catalogue',
      input: Nothing,
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
    },
    mcpAudit.list,
  ),
];
