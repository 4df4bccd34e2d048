import { isEnd } from '../../action/kind/status.ts';
import type { ActionView } from '../../action/view.ts';
import type { Citation } from '../../session/citation.ts';
import type { ToolEvent, TurnEnd, TurnHead } from '../loop/event.ts';
import type { ChatCompletion, ChatEvent } from './completion.ts';

type Unnumbered<E> = E extends unknown ? Omit<E, 'v' | 'seq'> : never;
type NewEvent = Unnumbered<ChatEvent>;

/** What every form of an answer records alike: events (x_svc version 1) in order, cards, warnings, citations. */
export function eventLog(head: TurnHead, send: (event: ChatEvent) => Promise<void>) {
  const events: ChatEvent[] = [];
  const cards: ActionView[] = [];
  const warnings: string[] = [];
  const citations: Citation[] = [];
  let tools = 0;
  let { isStored } = head;
  const conversation = (): string | null => (isStored ? head.conversationId : null);
  const add = (event: NewEvent): ChatEvent => {
    const numbered: ChatEvent = { v: 1, seq: events.length + 1, ...event };
    events.push(numbered);
    return numbered;
  };
  return {
    citations,
    conversation,
    add,
    /** The turn proposed something, or what it wrote was decided beforehand. */
    hasActed: (): boolean => events.some(({ type }) => type.startsWith('action.')),
    /** Records the end of the turn, which each form sends in its own way. */
    end: (end: TurnEnd): ChatEvent => add(endEvent(end, tools, conversation())),
    extension: (): ChatCompletion['x_svc'] => ({
      v: 1,
      conversation_id: conversation(),
      events,
      pending_actions: cards,
      warnings,
    }),
    /** The part of a sink that records and sends them. */
    sink: {
      stored(): void {
        isStored = true;
      },
      async tool(event: ToolEvent): Promise<void> {
        if (event.type === 'tool.start') tools += 1;
        await send(add(toolEvent(event)));
      },
      async pending(card: ActionView): Promise<void> {
        cards.push(card);
        await send(add({ type: 'action.pending', card }));
      },
      async decided(action: ActionView): Promise<void> {
        for (const event of decidedEvents(action)) await send(add(event));
      },
      async cite(found: readonly Citation[]): Promise<void> {
        for (const citation of found) {
          citations.push(citation);
          await send(add({ type: 'citation', ...citation }));
        }
      },
      async warn(code: string): Promise<void> {
        warnings.push(code);
        await send(add({ type: 'warning', code }));
      },
    },
  };
}
export type EventLog = ReturnType<typeof eventLog>;

const toolEvent = (event: ToolEvent): NewEvent =>
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

export const startEvent = (head: TurnHead): NewEvent => ({
  type: 'turn.start',
  turn_id: head.id,
  conversation_id: head.isStored ? head.conversationId : null,
  provider: head.provider,
  model: head.model,
});

const endEvent = (
  { stop, rounds, steps }: TurnEnd,
  tools: number,
  conversation: string | null,
): NewEvent => ({
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

/** Of an action that is decided, and of its end. */
function decidedEvents(action: ActionView): NewEvent[] {
  const { actionId: action_id, status, done, say } = action;
  return [
    { type: 'action.decided', action_id, status, decided_by: action.decidedName },
    ...(isEnd(status) ? [{ type: 'action.receipt', action_id, status, done, say } as const] : []),
  ];
}

/** Of an answer that is read from the storage. */
export const storedEvent = (head: TurnHead, status: 'OK' | 'UNFINISHED'): NewEvent => ({
  type: 'turn.stored',
  conversation_id: head.conversationId,
  turn_id: head.id,
  status,
});
