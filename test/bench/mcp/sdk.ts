/** The SDK's fastest supported handler: a low-level server, our tool list, a constant result, no bearer check. */
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

import { listenAndReport } from './report.ts';

// What our own server answered, as it came over the wire.
const [message]: unknown[] = await once(process, 'message');
const { list, call } = z
  .object({
    list: z.custom<ListToolsResult>((value) => isSpecType.ListToolsResult(value)),
    call: z.custom<CallToolResult>((value) => isSpecType.CallToolResult(value)),
  })
  .parse(message);

const info = { name: 'yardstick', version: '1' };
const options = { capabilities: { tools: {} } };
const handler = createMcpHandler(() => {
  const server = new Server(info, options);
  server.setRequestHandler('tools/list', () => list);
  server.setRequestHandler('tools/call', () => call);
  return server;
});
const respond = toNodeHandler(handler);
listenAndReport(
  createServer((request, response) => {
    if (isComplete(request)) void respond(request, response);
  }),
);

/** What node's types leave open and its server never does. */
function isComplete(
  request: IncomingMessage,
): request is IncomingMessage & { method: string; url: string } {
  return request.method !== undefined && request.url !== undefined;
}
