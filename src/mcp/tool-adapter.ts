import {
  ProtocolError,
  ProtocolErrorCode,
  type CallToolResult,
  type ListToolsResult,
} from '@modelcontextprotocol/server';
import { ZodError } from 'zod';

import type { App, Tool } from '../app.ts';
import { AppError, Forbidden } from '../core/errors.ts';
import { inputSchema, outputSchema } from '../core/input/json-schema.ts';
import type { McpCaller } from './caller.ts';
import { hasScope, isPermitted, type Limited, mayUse, refuseEnded } from './rights.ts';
import { traced } from './trace.ts';

type Listing = ListToolsResult['tools'];

/** Listings by the names of their tools: constant per set of permissions, in the order of the registry. */
const listings = new WeakMap<readonly Tool[], Map<string, Listing>>();
const MAX_LISTINGS = 256;

/** The tools that connection, permissions and scopes of the caller allow. */
export function listTools(tools: readonly Tool[], caller: Limited): Listing {
  const visible = tools.filter((tool) => mayUse(caller, tool) && hasScope(caller, tool));
  const known = listings.get(tools) ?? new Map<string, Listing>();
  listings.set(tools, known);
  const key = visible.map(({ name }) => name).join();
  const listing = known.get(key) ?? visible.map(describe);
  if (known.size < MAX_LISTINGS) known.set(key, listing);
  return listing;
}

const describe = (tool: Tool): Listing[number] => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: { ...inputSchema(tool), type: 'object' },
  outputSchema: { ...outputSchema(tool), type: 'object' },
  annotations: tool.annotations,
});

/**
 * Calls a tool; permissions are checked and audited at every call. A tool without permission is unknown to
 * the caller. Errors of the tool become a result with `isError`, which the model can read.
 */
export async function callTool(
  app: App,
  caller: McpCaller,
  name: string,
  input: unknown,
): Promise<CallToolResult> {
  const tool = app.tools.find((candidate) => candidate.name === name);
  const trace = traced(app, caller, { name, offer: tool, input });
  if (!tool || !mayUse(caller, tool)) {
    trace(tool && isPermitted(caller, tool) ? 'POLICY_DENIED' : 'DENIED', tool ? 'R403' : 'R404');
    refuseEnded(caller);
    throw new ProtocolError(
      ProtocolErrorCode.InvalidParams,
      'Unknown tool: tools/list names those there are for this login',
    );
  }
  if (!hasScope(caller, tool)) {
    trace('DENIED', 'R403');
    return failed(`This needs the scope ${tool.scope}`);
  }
  try {
    const structuredContent = await tool.run(app, caller, input);
    trace('SUCCESS');
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    };
  } catch (error) {
    if (error instanceof AppError) {
      trace(error instanceof Forbidden ? 'DENIED' : 'ERROR', error.code);
      return failed(error.message);
    }
    if (error instanceof ZodError) {
      trace('ERROR', 'R400');
      return failed(wrongArguments(error));
    }
    trace('ERROR', 'R500');
    app.log.error({ error, tool: name }, 'a tool failed unexpectedly');
    return failed('The tool failed for a reason inside the platform; trying again may help');
  }
}

const failed = (text: string): CallToolResult => ({
  content: [{ type: 'text', text }],
  isError: true,
});

const wrongArguments = (error: ZodError): string =>
  `Wrong arguments: ${error.issues
    .slice(0, 5)
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ')
    .slice(0, 500)}`;
