import { isEnd } from '../../action/kind/status.ts';
import type { ActionView } from '../../action/view.ts';
import type { ToolEvent, TurnHead } from '../answer.ts';
import type { TurnEnd } from '../loop.ts';
import type { Happened } from '../round/numbered.ts';

export const toolEvent = (event: ToolEvent): Happened =>
  event.type === 'tool.start'
    ? {
        type: event.type,
        call_id: event.callId,
        name: event.name,
        title: event.title,
        args: event.args,
        args_digest: event.argsDigest,
      }
    : {
        type: event.type,
        call_id: event.callId,
        name: event.name,
        status: event.status,
        result: event.result,
        plots: event.plots,
        duration_ms: event.durationMs,
      };

export const startEvent = (head: TurnHead): Happened => ({
  type: 'turn.start',
  turn_id: head.id,
  conversation_id: head.isKept ? head.conversationId : null,
  provider: head.provider,
  model: head.model,
});

export const endEvent = (
  { stop, rounds, steps }: TurnEnd,
  tools: number,
  conversation: string | null,
): Happened => ({
  type: 'turn.end',
  steps: rounds,
  tools,
  stop,
  conversation_id: conversation,
  ...(isEstimated(steps) ? { usage_estimated: true } : {}),
});

/** A vendor named no usage: tokens of the turn are counted by the length of its texts. */
export const isEstimated = (steps: TurnEnd['steps']): boolean =>
  steps.some((step) => step.isEstimated);

export const warningEvent = (code: string, say?: string): Happened => ({
  type: 'warning',
  code,
  ...(say === undefined ? {} : { say }),
});

/** Of an action that is decided, and of its end. */
export function decidedEvents(action: ActionView): Happened[] {
  const { actionId: action_id, status, done, say } = action;
  return [
    { type: 'action.decided', action_id, status, decided_by: action.decidedName },
    ...(isEnd(status) ? [{ type: 'action.receipt', action_id, status, done, say } as const] : []),
  ];
}

/** Of an answer that is read from the storage. */
export const storedEvent = (head: TurnHead, status: 'OK' | 'UNFINISHED'): Happened => ({
  type: 'turn.stored',
  conversation_id: head.conversationId,
  turn_id: head.id,
  status,
});
