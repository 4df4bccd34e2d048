import { ZodError } from 'zod';

import type { App, Caller, Tool } from '../../kernel/app/app.ts';
import type { Exchange, Reply } from '../../kernel/app/exchange.ts';
import { AppError, Forbidden, Outdated } from '../../kernel/errors.ts';
import { sourceNow } from '../../kernel/request/called-from.ts';
import { noteDenied } from '../audit/refusal.ts';
import { type Denial, denialOf, type Limited } from '../connection/denial.ts';
import { demandWritable } from '../connection/stop.ts';
import { refuseRepeated } from './breaker.ts';
import { metered, usedBy } from './budget.ts';
import { marked, noteRefusal, quotedTexts } from './marked.ts';
import { noteRead } from './read-texts.ts';

/** Of an error that is not for the caller. */
const FAILED = 'it failed';
/** Wrong arguments that a result names. */
const MAX_ISSUES = 5;

/** A wrong argument: its path, empty for the arguments as a whole, and what is wrong. */
export type ArgumentIssue = { path: string; message: string };

export type ToolResult =
  | { status: 'done'; structured: Record<string, unknown> }
  /** With an exchange only. */
  | { status: 'replied'; reply: Reply }
  | { status: 'denied'; by: Denial }
  | { status: 'wrong arguments'; issues: ArgumentIssue[] }
  /** The operation refused; the error's message is for the caller. */
  | { status: 'refused'; error: AppError }
  /** For a reason inside the platform, which is logged. */
  | { status: 'failed' };

/**
 * The one way to run a tool: checks permission, connection, scope, switches, repetition and budgets, runs it, and sorts its errors; MCP and
 * chat each put the result into the words of their protocol; an `exchange` is for what only MCP can do. Throws
 * Outdated only, when nothing was done.
 */
export async function runTool(
  app: App,
  caller: Limited,
  tool: Tool,
  input: unknown,
  exchange?: Exchange,
): Promise<ToolResult> {
  return measured(app, tool, async () => {
    const by = denialOf(caller, tool);
    if (by !== null) {
      noteDeniedTool(app, caller, tool);
      return { status: 'denied', by };
    }
    try {
      demandWritable(caller, tool);
      const noteAnswer = refuseRepeated(app, caller, tool, input);
      const meter = await metered(app, caller, usedBy(tool));
      try {
        const given: Answered =
          exchange && tool.reply
            ? { status: 'replied', reply: await tool.reply(app, caller, input, exchange) }
            : { status: 'done', structured: await tool.run(app, caller, input, exchange) };
        const result = await noted(app, caller, tool, given);
        const text = textOf(result);
        meter.answered(text);
        noteAnswer(text);
        return result;
      } catch (error) {
        if (error instanceof Outdated) meter.undo();
        else noteAnswer(error instanceof AppError ? error.message : FAILED);
        throw error;
      }
    } catch (error) {
      if (error instanceof Outdated) throw error;
      if (error instanceof AppError) return refused(app, caller, tool, { input, error });
      if (error instanceof ZodError) return { status: 'wrong arguments', issues: issuesOf(error) };
      app.log.error({ error, tool: tool.name }, 'a tool failed unexpectedly');
      return { status: 'failed' };
    }
  });
}

const OUTCOMES = {
  done: 'done',
  replied: 'done',
  denied: 'denied',
  'wrong arguments': 'wrong',
  refused: 'refused',
  failed: 'failed',
} as const satisfies Record<ToolResult['status'], string>;

async function measured(
  { metrics, clock }: App,
  { name: tool }: Tool,
  work: () => Promise<ToolResult>,
): Promise<ToolResult> {
  const since = clock.elapsed();
  const result = await work();
  metrics.add('svc_tool_calls_total', { tool, outcome: OUTCOMES[result.status] });
  metrics.took('svc_tool_seconds', { tool }, clock.elapsed() - since);
  return result;
}

/** Calls over MCP have their own log, with what was denied. */
function noteDeniedTool(app: App, caller: Limited, { name, annotations }: Tool): void {
  if (caller.via !== 'model' || annotations.readOnlyHint) return;
  noteDenied(app, caller, new Forbidden(), {
    door: 'chat',
    source: sourceNow() ?? '',
    resourceType: 'TOOL',
    resourceName: name,
  });
}

type Answered = Extract<ToolResult, { status: 'done' | 'replied' }>;

async function noted(app: App, caller: Caller, tool: Tool, result: Answered): Promise<Answered> {
  const { status } = result;
  if (status === 'done')
    return { status, structured: await marked(app, caller, tool, result.structured) };
  const { reply } = result;
  if (reply.kind !== 'record') {
    await noteRead(app, caller, tool.name, quotedTexts('statusMessage', sentencesOf(reply)));
    return result;
  }
  const structured = await marked(app, caller, tool, reply.structured);
  return { status, reply: { ...reply, structured } };
}

/** What a task or a question says to the program. */
const sentencesOf = (reply: Reply): string =>
  reply.kind === 'task' ? reply.task.statusMessage : JSON.stringify(reply);

/** What a model reads of it. */
function textOf(result: Answered): string {
  if (result.status === 'done') return JSON.stringify(result.structured);
  const { reply } = result;
  return JSON.stringify(reply.kind === 'record' ? reply.structured : reply);
}

/** A refusal may hold texts of others as well. */
async function refused(
  app: App,
  caller: Caller,
  tool: Tool,
  { input, error }: { input: unknown; error: AppError },
): Promise<ToolResult> {
  try {
    await noteRefusal(app, caller, tool, { input, message: error.message });
    return { status: 'refused', error };
  } catch (problem) {
    app.log.error({ error: problem, tool: tool.name }, 'what a tool answered was not noted');
    return { status: 'failed' };
  }
}

const issuesOf = ({ issues }: ZodError): ArgumentIssue[] =>
  issues.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path: path.join('.'), message }));
