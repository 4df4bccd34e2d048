import {
  type CallToolResult,
  type InputRequest,
  type InputRequests,
  type InputRequiredResult,
  isSpecType,
  type ServerContext,
} from '@modelcontextprotocol/server';

import type { Question, Reply, Task } from '../../kernel/app/exchange.ts';
import type { StateCodec } from './request-state.ts';

/** What a state is bound to. */
export type Round = () => { codec: StateCodec; ctx: ServerContext; request: string };

/**
 * A reply as the answer to `tools/call`; questions get the state that leads to the next round. `showsViews`: of the
 * client.
 */
export async function answerOf(
  reply: Reply,
  showsViews: boolean,
  round: Round,
): Promise<CallToolResult | InputRequiredResult> {
  if (reply.kind === 'questions') return asking(reply, round);
  if (reply.kind === 'task') return { ...createdTask(reply.task), content: [] };
  return resultOf(reply, showsViews);
}

export async function asking(
  { questions, state }: Extract<Reply, { kind: 'questions' }>,
  round: Round,
): Promise<InputRequiredResult> {
  const { codec, ctx, request } = round();
  return {
    resultType: 'input_required',
    inputRequests: requestsOf(questions),
    requestState: await codec.mint({ request, state }, ctx),
  };
}

/** Names the fields of an answer that devices and users write: data, never instructions. */
export const labelOf = (fields: readonly string[] = [], view?: Record<string, unknown>) =>
  fields.length === 0 && view === undefined
    ? {}
    : {
        _meta: {
          ...(fields.length > 0 && { 'svc/untrusted': fields }),
          ...(view && { 'svc/view': view }),
        },
      };

/** A record is structured content and the same as text; its `view` goes to clients that show views. */
export function resultOf(
  reply: Extract<Reply, { kind: 'record' | 'content' }>,
  showsViews = false,
): CallToolResult {
  const { structured } = reply;
  return {
    content:
      reply.kind === 'content'
        ? reply.content
        : [{ type: 'text', text: JSON.stringify(structured) }, ...(reply.beside ?? [])],
    ...(structured && { structuredContent: structured }),
    ...(reply.kind === 'record' && labelOf(reply.untrusted, showsViews ? reply.view : undefined)),
    ...(reply.kind === 'content' && reply.isError && { isError: true }),
  };
}

/** Throws for what is no question of the protocol. */
export function requestsOf(questions: Record<string, Question>): InputRequests {
  const requests: InputRequests = {};
  for (const [name, question] of Object.entries(questions)) {
    if (!isInputRequest(question)) throw new Error(`${name} is no question of MCP`);
    requests[name] = question;
  }
  return requests;
}

const isInputRequest = (value: unknown): value is InputRequest =>
  isSpecType.ElicitRequest(value) ||
  isSpecType.CreateMessageRequest(value) ||
  isSpecType.ListRootsRequest(value);

/** Without what only `tasks/get` says. */
function createdTask(task: Task) {
  const { taskId, status, statusMessage, createdAt, lastUpdatedAt, ttlMs, pollIntervalMs } = task;
  const times = { createdAt, lastUpdatedAt, ttlMs, pollIntervalMs };
  return { resultType: 'task', taskId, status, statusMessage, ...times };
}
