import { isSpecType, type ServerContext } from '@modelcontextprotocol/server';

import type { App } from '../../kernel/app/app.ts';
import type { Question, Reply } from '../../kernel/app/exchange.ts';
import type { AskedCall } from './caller.ts';

/** Below the 60 s after which clients give a call up. */
const SILENT_MS = 30_000;

type Questions = Extract<Reply, { kind: 'questions' }>;

/** Whether a client of a session until 2025-11-25 is asked in the middle of its call, and need not answer. */
export const isForSession = (reply: Reply, ctx: ServerContext): reply is Questions =>
  reply.kind === 'questions' && reply.isOptional === true && ctx.mcpReq.envelope === undefined;

/**
 * The call in its next round, after the client was asked. Clients declare that they take questions and refuse them, do
 * not know the method (-32601), or never answer: all lead on, the last after 30 s.
 */
export async function askedInSession(
  app: App,
  call: AskedCall,
  ctx: ServerContext,
  { questions, state }: Questions,
): Promise<AskedCall> {
  const silence = new AbortController();
  const cancel = app.clock.after(SILENT_MS, () => silence.abort('nobody answered'));
  const signal = AbortSignal.any([silence.signal, ctx.mcpReq.signal]);
  try {
    await Promise.all(Object.values(questions).map((question) => ask(ctx, question, signal)));
  } catch (error) {
    app.log.debug({ error }, 'an MCP client did not answer a question');
  } finally {
    cancel();
  }
  return { ...call, exchange: { ...call.exchange, state } };
}

async function ask(ctx: ServerContext, question: Question, signal: AbortSignal): Promise<void> {
  if (!isSpecType.ElicitRequest(question)) throw new Error('only elicitation can be left open');
  await ctx.mcpReq.elicitInput(question.params, { relatedRequestId: ctx.mcpReq.id, signal });
}
