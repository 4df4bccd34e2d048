import {
  type ListToolsResult,
  ProtocolError,
  ProtocolErrorCode,
} from '@modelcontextprotocol/server';

import { type ArgumentIssue, runTool } from '../../auth/agent/run-tool.ts';
import type { CalledTool } from '../../auth/connection/called-tool.ts';
import { denialOf, type Limited } from '../../auth/connection/denial.ts';
import type { App, Tool, ToolAnnotations } from '../../kernel/app/app.ts';
import type { Reply } from '../../kernel/app/exchange.ts';
import { Forbidden } from '../../kernel/errors.ts';
import { inputSchema, outputSchema, wholeOutputSchema } from '../../kernel/input/json-schema.ts';
import { nearest } from '../../kernel/sentence/nearest.ts';
import { type AskedCall, type McpCaller, refuseEnded } from '../request/caller.ts';
import { needsTasks } from '../request/client.ts';
import { traced } from '../request/trace.ts';
import { uiOf } from './view-adapter.ts';

type Listing = ListToolsResult['tools'];

/** Listings by the names of their tools: constant per set of permissions, in the order of the registry. */
const listings = new WeakMap<readonly Tool[], Map<string, Listing>>();
const MAX_LISTINGS = 256;

type Details = { withViews?: boolean; withWholeResults?: boolean };

/**
 * The tools of the list that connection, permissions and scopes of the caller allow, in the narrowing of its request; `withViews`:
 * with what names their views; `withWholeResults`: with all that their results can have, for clients that make code of it.
 */
export function listTools(
  tools: readonly Tool[],
  caller: Limited,
  { withViews = false, withWholeResults = false }: Details = {},
): Listing {
  const visible = tools.filter(
    (tool) => tool.listed === 'direct' && denialOf(caller, tool) === null,
  );
  const known = listings.get(tools) ?? new Map<string, Listing>();
  listings.set(tools, known);
  const key = [withViews, withWholeResults, ...visible.map(({ name }) => name)].join();
  const listing =
    known.get(key) ??
    visible.map((tool) => ({ ...describe(tool, withWholeResults), ...(withViews && uiOf(tool)) }));
  if (known.size < MAX_LISTINGS) known.set(key, listing);
  return listing;
}

const describe = (tool: Tool, isWhole: boolean): Listing[number] => ({
  name: tool.name,
  title: tool.title,
  description: tool.description,
  inputSchema: { ...inputSchema(tool), type: 'object' },
  outputSchema: { ...(isWhole ? wholeOutputSchema(tool) : outputSchema(tool)), type: 'object' },
  annotations: hintsOf(tool.annotations),
});

/** Of a tool that only reads, without the hints about changes: they mean nothing then. */
const hintsOf = (hints: ToolAnnotations): Partial<ToolAnnotations> =>
  hints.readOnlyHint ? { readOnlyHint: true, openWorldHint: hints.openWorldHint } : hints;

/**
 * Calls a tool; permissions are checked and audited at every call. A tool without permission is unknown to
 * the caller. Errors of the tool become a result with `isError`, which the model can read.
 */
export async function callTool(
  app: App,
  { caller: known, present, exchange }: AskedCall,
  { name, tool, input }: CalledTool,
): Promise<Reply> {
  const trace = traced(app, known, { name, offer: tool, input });
  if (!tool) {
    trace('DENIED', 'R404');
    return present(async (caller) => refuseUnknown(app, caller, name));
  }
  if (tool.onlyAsTask && !exchange.takesTasks && denialOf(known, tool) === null) {
    trace('ERROR', 'R400');
    throw needsTasks();
  }
  const { caller, result } = await present(async (now) => ({
    caller: now,
    result: await runTool(app, now, tool, input, exchange),
  }));
  if (result.status === 'done') {
    trace('SUCCESS');
    return labelled({ kind: 'record', structured: result.structured }, tool);
  }
  if (result.status === 'replied') {
    trace('SUCCESS');
    return labelled(result.reply, tool);
  }
  if (result.status === 'denied') {
    trace(result.by === 'connection' ? 'POLICY_DENIED' : 'DENIED', 'R403');
    if (result.by !== 'scope') return refuseUnknown(app, caller, name);
    return failed(`This needs the scope ${tool.scope}`);
  }
  if (result.status === 'wrong arguments') {
    trace('ERROR', 'R400');
    return failed(wrongArguments(result.issues));
  }
  if (result.status === 'refused') {
    trace(result.error instanceof Forbidden ? 'DENIED' : 'ERROR', result.error.code);
    return failed(result.error.message);
  }
  trace('ERROR', 'R500');
  return failed('The tool failed for a reason inside the platform; trying again may help');
}

const labelled = (reply: Reply, { untrusted }: Tool): Reply =>
  reply.kind === 'record' && untrusted ? { ...reply, untrusted: untrusted.fields } : reply;

/** The same for a tool that is hidden from the caller as for one that does not exist. */
function refuseUnknown(app: App, caller: McpCaller, name: string): never {
  refuseEnded(caller);
  const near = nearest(
    name,
    app.tools
      .filter((tool) => !tool.opens && denialOf(caller, tool) === null)
      .map((tool) => tool.name),
  );
  const hint = near.length > 0 ? `; near: ${near.join(', ')}` : '';
  throw new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool: tools/list names those there are for this login${hint}`,
  );
}

const failed = (text: string): Reply => ({
  kind: 'content',
  content: [{ type: 'text', text }],
  isError: true,
});

const wrongArguments = (issues: readonly ArgumentIssue[]): string =>
  `Wrong arguments: ${issues
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ')
    .slice(0, 500)}`;
