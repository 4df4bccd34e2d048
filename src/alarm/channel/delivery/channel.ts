import type { z } from 'zod';

import type { Clock } from '../../../kernel/clock.ts';
import type { EgressBySink } from '../../../kernel/egress/sink.ts';
import type { Push } from './browser.ts';

/** The machine-readable part of a notification, from a rule, an outage or a report. */
export type Notice = {
  /** `confirmed`: by a person, for pagers alone. `test`: a person tries the channel, nothing happened. */
  event: 'fired' | 'recovered' | 'confirmed' | 'test';
  /** Without an alarm: it is about a channel; else about an account. */
  about?: 'channel';
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
  /** Origin time of the alarm event, ISO-8601 UTC. */
  occurTime: string;
  /** The page of the alarm in the console; absent where none is known. */
  link?: string;
  /** Of a message about several alarms, of which the notice has the first; at most 500 ids. */
  group?: { count: number; alarmIds: string[] };
};

/** One message to one receiver, rendered and bounded. */
export type Delivery = {
  /** Same id at every attempt, so that a receiver can drop duplicates. */
  id: string;
  target: string;
  /** The channel's secret in clear text; empty if there is none. */
  credential: string;
  /** The channel's own settings (`channelExt`), unchecked. */
  settings: unknown;
  subject: string;
  text: string;
  notice: Notice;
  /** Set for channels of kind `push`: the browsers of the person, and the key pair that signs the requests. */
  push?: Push;
  /** Addresses of the target that alone are to get it: the others took it at an earlier attempt. */
  left?: readonly string[];
  /** Time of this attempt (ms). */
  at: number;
};

/**
 * `refused` is final; `unreachable` may be retried, not before `retryAfterMs` if given. `left`: the addresses that did
 * not take it yet, while others did. `unanswered`: the message went out, so its receiver may have it. `gone`: browsers
 * that no message reaches any more, by their ids.
 */
export type Outcome =
  | { status: 'delivered'; answer: string; gone?: string[] }
  | { status: 'refused'; reason: string; gone?: string[] }
  | {
      status: 'unreachable';
      reason: string;
      retryAfterMs?: number;
      left?: string[];
      unanswered?: true;
      gone?: string[];
    };

/**
 * A transport for notifications (docs/specification/notifications.md, Channels): one file in this folder and
 * one line in index.ts.
 */
export type Channel = {
  /** The settings that it knows; absent: it has none, and any are kept. */
  settings?: z.ZodObject;
  /** The reason to refuse these settings; null when they are valid. Uses no network. */
  wrong(given: { target: string; credential: string; settings: unknown }): string | null;
  /** Never throws; ends within 15 s, or soon after `signal` fires (then `unreachable`). */
  deliver(delivery: Delivery, signal: AbortSignal): Promise<Outcome>;
};

/** The operator's mail server (`SVC_SMTP_URL`, `SVC_MAIL_FROM`); null where none is configured. */
export type MailServer = { url: string; from: string };

type ChannelOptions = {
  egress: Pick<EgressBySink, 'webhook' | 'sms'>;
  mail: MailServer | null;
  clock: Clock;
};

export type OpenChannel = (options: ChannelOptions) => Channel;
