import { statesAllowing, type Transitions } from '../../core/states.ts';

/** status_flag of svc_notify_history (docs/specification/notifications.md, Delivery states). */
export const DeliveryStatus = { PENDING: 0, SENT: 1, SUCCESS: 2, FAILED: 3, RETRY: 4 } as const;
export type DeliveryStatus = keyof typeof DeliveryStatus;

export type DeliveryEvent = 'send' | 'succeed' | 'fail' | 'retry';

/**
 * docs/specification/notifications.md, Delivery states: a row begins as pending with its alarm, and `retry`
 * leads from failed to retry; `send` is the claim of one dispatcher before anything leaves, also of a row
 * whose dispatcher was heard of no more; `succeed` and `fail` are what the channel said. Of two that sent,
 * the one that was heard is right, also when it says so last.
 */
export const transitions: Transitions<DeliveryStatus, DeliveryEvent> = {
  PENDING: { send: 'SENT' },
  SENT: { send: 'SENT', succeed: 'SUCCESS', fail: 'FAILED' },
  SUCCESS: {},
  FAILED: { retry: 'RETRY', succeed: 'SUCCESS' },
  RETRY: { send: 'SENT', succeed: 'SUCCESS' },
};

/** The stored numbers of the states in which an event is allowed. */
export const allowing = (event: DeliveryEvent): number[] =>
  statesAllowing(transitions, event).map((state) => DeliveryStatus[state]);

/** Where a row stands after these events, one after the other; throws for one that is not allowed. */
export function after(status: DeliveryStatus, ...events: readonly DeliveryEvent[]): DeliveryStatus {
  return events.reduce<DeliveryStatus>((state, event) => {
    const next = transitions[state][event];
    if (!next) throw new Error(`a notification that is ${state} cannot ${event}`);
    return next;
  }, status);
}
