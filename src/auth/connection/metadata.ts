import { z } from 'zod';

import type { Operation } from '../../kernel/app/app.ts';
import { metadataUrlOf, resourceOf, SCOPES_OF } from '../permission/audience.ts';
import { SCOPES } from '../permission/scope.ts';
import { madeByPlatform } from './untrusted.ts';

export const Metadata = z
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
type Metadata = z.output<typeof Metadata>;

/** Addresses and scopes an MCP client needs to connect (docs/specification/tools.md, MCP). */
export const metadata: Operation<unknown, Metadata> = async (app) => ({
  endpoint: resourceOf(app, 'mcp'),
  resource: resourceOf(app, 'mcp'),
  resourceMetadata: metadataUrlOf('mcp', app.config.baseUrl),
  authorizationServers: [app.config.baseUrl],
  scopes: [...SCOPES_OF.mcp],
  protocolVersions: ['2025-11-25', '2026-07-28'],
  tools: app.tools.filter(({ opens }) => !opens).length,
});
