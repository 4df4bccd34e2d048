import { statesAllowing, type Transitions } from '../../kernel/states.ts';

/** status_flag of svc_notify_history (docs/specification/notifications.md, Delivery states). */
export const DeliveryStatus = { PENDING: 0, SENT: 1, SUCCESS: 2, FAILED: 3, RETRY: 4 } as const;
export type DeliveryStatus = keyof typeof DeliveryStatus;

/** Of one message in a row, the first included; the ledger repeats what failed. */
export const MAX_TRIES = 5;

/** The message about an end, or a report, is repeated for so long. */
export const PATIENCE_MS = 86_400_000;

export type DeliveryEvent = 'send' | 'succeed' | 'fail' | 'retry' | 'drop';

/**
 * docs/specification/notifications.md, Delivery states: a row starts as PENDING with its alarm; `send` is the
 * claim by one dispatcher before sending, also of a row left by a crashed dispatcher; `succeed` and `fail`
 * are the channel's outcome; `retry` makes a failed row due again; `drop` ends one that is not true any more. If two
 * dispatchers sent a row, success wins, even if it is stored last.
 */
export const transitions: Transitions<DeliveryStatus, DeliveryEvent> = {
  PENDING: { send: 'SENT', drop: 'FAILED' },
  SENT: { send: 'SENT', succeed: 'SUCCESS', fail: 'FAILED' },
  SUCCESS: {},
  FAILED: { retry: 'RETRY', succeed: 'SUCCESS' },
  RETRY: { send: 'SENT', succeed: 'SUCCESS', drop: 'FAILED' },
};

/** The stored numbers of the states in which an event is allowed. */
export const allowing = (event: DeliveryEvent): number[] =>
  statesAllowing(transitions, event).map((state) => DeliveryStatus[state]);

/** The status after these events in order; throws for an event that is not allowed. */
export function after(status: DeliveryStatus, ...events: readonly DeliveryEvent[]): DeliveryStatus {
  return events.reduce<DeliveryStatus>((state, event) => {
    const next = transitions[state][event];
    if (!next) throw new Error(`a notification that is ${state} cannot ${event}`);
    return next;
  }, status);
}

/** The forms of vendors that a webhook speaks; `push`: the browsers of a person. */
export const WEBHOOK_KINDS = [
  'slack',
  'teams',
  'mattermost',
  'ntfy',
  'telegram',
  'pagerduty',
  'opsgenie',
  'alertmanager',
] as const;
/** channel_type_flag (docs/specification/alarms.md, Enumerations). */
export const ChannelType = { EMAIL: 0, SMS: 1, WEBHOOK: 2 } as const;

export type ChannelType = keyof typeof ChannelType;

/** event_flag of a notification: the alarm fires (or still fires), or has recovered. */
export const NoticeEvent = { FIRED: 0, RECOVERED: 1 } as const;

export type NoticeEvent = keyof typeof NoticeEvent;

/** What a notification was about: also that a person confirmed the alarm, which pagers get. */
export const HistoryEvent = { ...NoticeEvent, CONFIRMED: 2 } as const;
export type HistoryEvent = keyof typeof HistoryEvent;

/** known_flag of svc_notify_ledger: what the receiver of a channel knows of an alarm. */
export const Known = { NOTHING: 0, FIRING: 1, OVER: 2 } as const;
export type Known = keyof typeof Known;
