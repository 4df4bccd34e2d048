import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { z } from 'zod';

import { quotedTexts } from '../../auth/agent/marked.ts';
import { noteRead } from '../../auth/agent/read-texts.ts';
import { denialOf } from '../../auth/connection/denial.ts';
import type { App, TaskKind } from '../../kernel/app/app.ts';
import type { Task } from '../../kernel/app/exchange.ts';
import { AppError } from '../../kernel/errors.ts';
import { requestsOf, resultOf } from './answer.ts';
import { type McpCall, type McpCaller, refuseEnded } from './caller.ts';
import type { ClientOf } from './client.ts';

export const ById = z.object({ taskId: z.string().min(1).max(64) });

/** A task of the caller's in the fields of `tasks/get`; -32602 for an unknown one, another's included. */
export const getTask = async (app: App, call: McpCall, taskId: string, has: ClientOf['has']) =>
  shown(
    await inOneKind(app, call, async (kind, now) => {
      const task = await kind.get(app, now, taskId, has);
      const texts = kind.untrusted?.texts(task?.result?.structured ?? {}) ?? [];
      const said = quotedTexts('statusMessage', task?.statusMessage ?? '');
      await noteRead(app, now, kind.name, [...texts, ...said]);
      return task;
    }),
  );

/** Answers to what a task asks; acknowledged, and seen in the next look at the task. */
export async function updateTask(
  app: App,
  call: McpCall,
  taskId: string,
  answers: Record<string, unknown>,
): Promise<Record<string, never>> {
  await inOneKind(app, call, (kind, now) => kind.update(app, now, taskId, answers));
  return {};
}

/** Acknowledged for a task that has ended too. */
export async function cancelTask(
  app: App,
  call: McpCall,
  taskId: string,
): Promise<Record<string, never>> {
  await inOneKind(app, call, (kind, now) => kind.cancel(app, now, taskId));
  return {};
}

function inOneKind<T>(
  app: App,
  { present }: McpCall,
  work: (kind: TaskKind, caller: McpCaller) => Promise<T | null>,
): Promise<T> {
  return present(async (caller) => {
    refuseEnded(caller);
    for (const kind of app.tasks) {
      if (denialOf(caller, kind) !== null) continue;
      const found = await orProtocolError(() => work(kind, caller));
      if (found !== null) return found;
    }
    throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Unknown task');
  });
}

async function orProtocolError<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    throw new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message);
  }
}

const shown = ({ result, questions, ...task }: Task) => ({
  ...task,
  ...(result && { result: resultOf(result) }),
  ...(questions && { inputRequests: requestsOf(questions) }),
});
