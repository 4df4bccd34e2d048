/**
 * The SDK's handler as its documentation mounts it on node:http: a low-level server, our tool list, no bearer
 * check. The call's result is a constant, or with a database comes from the same query as ours on the engine's
 * bare driver.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';

import { toNodeHandler } from '@modelcontextprotocol/node';
import {
  type CallToolResult,
  createMcpHandler,
  isSpecType,
  type ListToolsResult,
  Server,
} from '@modelcontextprotocol/server';
import { z } from 'zod';

import { inZone } from '../../../src/kernel/sentence/time-zone.ts';
import { openBare } from '../engine/bare.ts';
import { listenAndReport } from '../report.ts';

// What our own server answered, as it came over the wire.
const [message]: unknown[] = await once(process, 'message');
const { list, call, database } = z
  .object({
    list: z.custom<ListToolsResult>((value) => isSpecType.ListToolsResult(value)),
    call: z.custom<CallToolResult>((value) => isSpecType.CallToolResult(value)),
    database: z.object({ bare: z.string(), tenantId: z.string() }).optional(),
  })
  .parse(message);

const result = database ? await queried(database) : () => call;
const info = { name: 'yardstick', version: '1' };
const options = { capabilities: { tools: {} } };
const handler = createMcpHandler(() => {
  const server = new Server(info, options);
  server.setRequestHandler('tools/list', () => list);
  server.setRequestHandler('tools/call', result);
  return server;
});
const respond = toNodeHandler(handler);
listenAndReport(
  createServer((request, response) => {
    if (isComplete(request)) void respond(request, response);
  }),
);

/** What `getCurrentTenantInfo` has to ask: the tenant's row, in one transaction that sees that tenant only. */
async function queried({ bare, tenantId }: { bare: string; tenantId: string }) {
  const { inTenant } = await openBare(bare);
  return async (): Promise<CallToolResult> => {
    const [row] = await inTenant(tenantId, (query) =>
      query('select * from svc_tenant where id = $1', [tenantId]),
    );
    const found = {
      tenantId,
      tenantName: row?.['tenant_name'],
      tenantCode: row?.['tenant_code'],
      timezone: row?.['timezone'],
      now: inZone(Date.now(), String(row?.['timezone'])),
    };
    return { content: [{ type: 'text', text: JSON.stringify(found) }], structuredContent: found };
  };
}

/** What node's types leave open and its server never does. */
function isComplete(
  request: IncomingMessage,
): request is IncomingMessage & { method: string; url: string } {
  return request.method !== undefined && request.url !== undefined;
}
