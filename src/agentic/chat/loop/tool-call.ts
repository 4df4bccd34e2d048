import type { ModelTool } from '../../../../providers/request/provider.ts';
import { type ArgumentIssue, runTool } from '../../../auth/agent/run-tool.ts';
import { type CalledTool, calledTool } from '../../../auth/connection/called-tool.ts';
import { denialOf, type Limited } from '../../../auth/connection/denial.ts';
import { whitelistOf } from '../../../auth/connection/whitelist.ts';
import type { App, Caller, Tool } from '../../../kernel/app/app.ts';
import { Forbidden } from '../../../kernel/errors.ts';
import { inputSchema } from '../../../kernel/input/json-schema.ts';
import { storable } from '../../../kernel/input/text.ts';
import { type Source, sourcesIn, valuesIn } from '../../session/citation.ts';
import { type Plot, plotsIn } from '../../session/plots.ts';

/** About 1,500 tokens: the limit of one result in the model's context. */
const MAX_RESULT_CHARACTERS = 6_000;

const MAX_CALL_ID = 128;

/** How a tool call ended, and what the model reads about it (JSON text). */
export type ToolOutcome = {
  status: 'success' | 'failed';
  content: string;
  /** Set when the call proposed a write. */
  actionId: string | null;
  /** Set when a standing approval has decided its write. */
  decidedId?: string | null;
  /** Set when it looked at values in time. */
  plots?: Plot[];
  /** The values in its result. */
  sources?: Source[];
  /** How many values these are, those that are no numbers among them. */
  values?: number;
};

/**
 * Tools the caller may use: by permission, and for a client also by scope and connection. Throws Forbidden
 * (403) when the client's connections have ended.
 */
export async function toolsFor(app: App, caller: Limited): Promise<Tool[]> {
  if (!app.config.agentic.toolCalling) return [];
  const limited = await withConnection(app, caller);
  return app.tools.filter((tool) => denialOf(limited, tool) === null);
}

/** The tool list of a connection applies in the chat as over MCP, and so do the switches of agents. */
async function withConnection(app: App, caller: Limited): Promise<Limited> {
  const connection = caller.connection ?? (await whitelistOf(app, caller));
  if (connection.ended !== null) throw new Forbidden(connection.ended);
  return { ...caller, connection };
}

/** A tool in the form of a model request. */
function describe(tool: Tool): ModelTool {
  const known = described.get(tool);
  if (known) return known;
  const { name, description } = tool;
  const made = { name, description, parameters: inputSchema(tool) };
  described.set(tool, made);
  return made;
}
const described = new WeakMap<Tool, ModelTool>();

/** The tool that a model's call means, among those offered to it. */
export function calledBy(
  offered: readonly Tool[],
  call: { name: string; arguments: string },
): CalledTool & { isJson: boolean } {
  try {
    const input: unknown = call.arguments.trim() === '' ? {} : JSON.parse(call.arguments);
    // Some models write null where a tool takes no arguments.
    return { ...calledTool(offered, call.name, input ?? {}), isJson: true };
  } catch {
    return { ...calledTool(offered, call.name, undefined), isJson: false };
  }
}

/** What a request to a model lists. */
export const listed = (offered: readonly Tool[]): ModelTool[] =>
  offered.filter((tool) => tool.listed === 'direct').map(describe);

/** Where a model asks for a call: its conversation, and the tools of the platform that it may call. */
export type Asked = { conversationId: string; offered: readonly Tool[] };

/**
 * Runs a call requested by the model; a tool that its request did not offer is unknown to it. Never throws: a failure becomes a result that the model can act on.
 * The caller gets `via: 'model'`, so that no operation treats it as a human (docs/specification/actions.md,
 * Confirm).
 */
export async function callTool(
  app: App,
  caller: Limited,
  call: { id: string; name: string; arguments: string },
  { conversationId, offered }: Asked,
): Promise<ToolOutcome> {
  const { name, tool: named, input, isJson } = calledBy(offered, call);
  if (!named) return unknown(name);
  // Fail closed: no tools when the connection has ended or cannot be loaded.
  const limited = await withConnection(app, caller).catch((error: unknown) =>
    error instanceof Forbidden ? error.message : null,
  );
  if (typeof limited === 'string') return failed(limited, REFUSED);
  if (limited === null || denialOf(limited, named) !== null) return unknown(name);
  if (!isJson) return failed('The arguments are not valid JSON', 'Send one JSON object.');
  const toolCallId = storable(call.id.slice(0, MAX_CALL_ID));
  const model = { ...asModel(limited, conversationId), toolCallId };
  const result = await runTool(app, model, named, input);
  if (result.status === 'done') return succeeded(named, result.structured, app.clock.now());
  if (result.status === 'denied') return unknown(named.name);
  if (result.status === 'wrong arguments') return failed(wrongArguments(result.issues), CORRECT);
  if (result.status === 'refused') {
    const { message, status } = result.error;
    return failed(message, hints[status] ?? 'Tell the user that it did not work.');
  }
  return failed('The tool failed', 'Tell the user that it did not work; do not guess a result.');
}

/** The model of a conversation: no operation treats it as the human it works for. */
export const asModel = <C extends Caller>(caller: C, conversationId: string): C => ({
  ...caller,
  via: 'model',
  clientId: conversationId,
  ...(caller.clientId !== undefined && { chatClientId: caller.clientId }),
});

function succeeded(tool: Tool, result: Record<string, unknown>, now: number): ToolOutcome {
  const { pendingConfirmation, actionId } = result;
  const proposed = typeof actionId === 'string' ? actionId : null;
  return {
    status: 'success',
    content: bounded(result),
    actionId: pendingConfirmation === true ? proposed : null,
    decidedId: tool.annotations.destructiveHint && pendingConfirmation === false ? proposed : null,
    plots: plotsIn(result),
    sources: sourcesIn(result, now),
    values: valuesIn(result),
  };
}

function bounded(result: Record<string, unknown>): string {
  const content = JSON.stringify(result);
  if (content.length <= MAX_RESULT_CHARACTERS) return content;
  return JSON.stringify({
    truncated: true,
    hint: 'The result was too long. Ask for less: a filter, a smaller page, one id.',
    beginning: content.slice(0, MAX_RESULT_CHARACTERS / 2).toWellFormed(),
  });
}

const failed = (error: string, hint: string): ToolOutcome => ({
  status: 'failed',
  content: JSON.stringify({ error, hint }),
  actionId: null,
});

const unknown = (name: string): ToolOutcome =>
  failed(`There is no tool ${name.slice(0, 64)}`, 'Use an offered tool.');

const CORRECT = 'Correct the arguments and call again.';
const REFUSED = 'The user may not do this; say so and do not try again.';
const hints: Record<number, string> = {
  400: CORRECT,
  403: REFUSED,
  404: 'Search for it first; use only ids that a tool returned.',
  409: 'Look at the present state before you try again.',
  422: 'The value or target is not allowed; tell the user why, or correct it.',
  429: 'Do not call again now; tell the user what is waiting.',
  503: 'It is not available now; tell the user, do not guess a result.',
};

const wrongArguments = (issues: readonly ArgumentIssue[]): string =>
  issues
    .map(({ path, message }) => `${path || 'arguments'}: ${message}`)
    .join('; ')
    .slice(0, 500);
