import type { Clock } from '../../core/clock.ts';
import type { EgressBySink } from '../../core/egress/sink.ts';

/** What a rule, an outage or a report has to say, as the receiver of a notification gets it. */
export type Notice = {
  event: 'fired' | 'recovered';
  tenantId: string;
  alarmId: string;
  ruleId: string;
  ruleName: string;
  level: 'P0' | 'P1' | 'P2' | 'P3';
  target: 'POINT' | 'DEVICE' | 'DRIVER' | 'EVENT';
  entityId: string;
  deviceId: string;
  deviceName: string;
  pointId: string;
  pointName: string;
  message: string;
  /** Origin time of what happened, ISO-8601 UTC. */
  occurTime: string;
};

/** One message to one receiver, rendered and bounded. */
export type Delivery = {
  /** The same at every try, so that a receiver can drop what it has already got. */
  id: string;
  target: string;
  /** The channel's secret in the clear; empty where it has none. */
  credential: string;
  /** The channel's own settings (`channelExt`), not checked yet. */
  settings: unknown;
  subject: string;
  text: string;
  notice: Notice;
  /** When it is sent (ms). */
  at: number;
};

/** `refused` is for good; `unreachable` may be tried again, not before `retryAfterMs` where that is said. */
export type Outcome =
  | { status: 'delivered'; answer: string }
  | { status: 'refused'; reason: string }
  | { status: 'unreachable'; reason: string; retryAfterMs?: number };

/**
 * One way to tell people (docs/specification/notifications.md, Channels); one file beside this one, one line
 * in index.ts.
 */
export type Channel = {
  /** Why a channel cannot be kept with these settings; null when it can. Touches no network. */
  wrong(given: { target: string; credential: string; settings: unknown }): string | null;
  /** Never throws; ends within 15 s, or soon after `signal` fires (then `unreachable`). */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<Outcome>;
};

/** The operator's mail server (`SVC_SMTP_URL`, `SVC_MAIL_FROM`); null where none is configured. */
export type MailServer = { url: string; from: string };

export type ChannelOptions = {
  egress: Pick<EgressBySink, 'webhook' | 'sms'>;
  mail: MailServer | null;
  clock: Clock;
};

export type OpenChannel = (options: ChannelOptions) => Channel;
