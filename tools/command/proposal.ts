import { z } from 'zod';

import * as action from '../../src/agentic/action/action.ts';
import { isEnd } from '../../src/agentic/action/status.ts';
import type { ActionView } from '../../src/agentic/action/view.ts';
import type { App, Caller } from '../../src/app.ts';
import type { Exchange, Question, Reply, Task } from '../../src/exchange.ts';
import { Said } from '../shape/text.ts';

const POLL_MS = 2_000;
const CANCELLED = ['WITHDRAWN'];

/** The answer about a proposal, when it is made and whenever it is looked at as the end of the call. */
export const Proposal = z.object({
  pendingConfirmation: z.boolean(),
  actionId: z.string(),
  status: z.string(),
  repeated: z.boolean(),
  expiresAt: z.string(),
  done: z.boolean(),
  say: Said,
  summary: Said,
  reviewUrl: z.string(),
  confirmWith: z.string(),
});

export const proposalAnswer = (app: App, view: ActionView & { repeated?: boolean }) => ({
  pendingConfirmation: view.pendingConfirmation,
  actionId: view.actionId,
  status: view.status,
  repeated: view.repeated ?? false,
  expiresAt: view.expiresAt,
  done: view.done,
  say: view.say,
  summary: view.summary,
  reviewUrl: reviewUrl(app, view),
  confirmWith:
    'A human with an interactive login, at reviewUrl or by POST /api/v3/agentic/action/confirm',
});

/** The page of a proposal: it takes a login of its own, and the address holds no secret. */
const reviewUrl = (app: App, { actionId }: ActionView): string =>
  `${app.config.baseUrl}/console/review/${actionId}`;

/**
 * The reply to a proposal for what the program can do: a task, the address of its review, or the answer. Whatever
 * the program says to that address, also that a person agreed, leads to one more look at the proposal alone.
 */
export async function proposalReply(
  app: App,
  caller: Caller,
  propose: () => Promise<action.ActionCard>,
  exchange: Exchange,
): Promise<Reply> {
  const before = Shown.safeParse(exchange.state);
  if (before.success) {
    const view = await action.byId(app, caller, before.data);
    return { kind: 'record', structured: proposalAnswer(app, view) };
  }
  const card = await propose();
  if (exchange.takesTasks) return { kind: 'task', task: taskOf(app, card, exchange.has) };
  if (card.pendingConfirmation && exchange.has('elicitation.url')) {
    const state = { actionId: card.actionId };
    return { kind: 'questions', questions: review(app, card), state };
  }
  return { kind: 'record', structured: proposalAnswer(app, card) };
}

const Shown = z.strictObject({ actionId: z.string() });

const review = (app: App, view: ActionView): Record<string, Question> => ({
  review: {
    method: 'elicitation/create',
    params: {
      mode: 'url',
      message: `${view.say} Review it there; nothing is confirmed here.`,
      url: reviewUrl(app, view),
      elicitationId: view.actionId,
    },
  },
});

/** A proposal as a task: it ends with the receipt of the device, or without one when nothing is written. */
export function taskOf(app: App, view: ActionView, has: Exchange['has']): Task {
  const answer = proposalAnswer(app, view);
  const asks = view.pendingConfirmation && has('elicitation.url');
  const task = {
    taskId: view.actionId,
    statusMessage: view.say,
    createdAt: view.createTime,
    lastUpdatedAt: view.decidedTime ?? view.createTime,
    ttlMs: null,
    pollIntervalMs: POLL_MS,
  };
  if (CANCELLED.includes(view.status)) return { ...task, status: 'cancelled' };
  if (asks) return { ...task, status: 'input_required', questions: review(app, view) };
  if (!isEnd(view.status)) return { ...task, status: 'working' };
  const content = [{ type: 'text' as const, text: JSON.stringify(answer) }];
  return {
    ...task,
    status: 'completed',
    result: { kind: 'content', content, structured: answer, isError: !view.done },
  };
}
