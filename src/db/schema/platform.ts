import type { Generated, GeneratedAlways } from 'kysely';

import type { DefaultInt8, DefaultJson, DefaultTime, Int8, OptionalTime, Time } from './columns.ts';

export type ListeningTable = {
  kind: 'state' | 'value';
  aliveTime: Time;
  sinceTime: Time;
  pausedTime: OptionalTime;
  breaks: DefaultJson;
};

export type DeadLetterTable = {
  id: GeneratedAlways<string>;
  topic: string;
  queue: string;
  key: string;
  messageId: string;
  reason: string;
  payload: string;
  createTime: Time;
};

/** What statements have added to (or, negative, deleted from) a table of a tenant. */
export type TenantTotalTable = {
  tenantId: Int8;
  entity: string;
  id: GeneratedAlways<string>;
  amount: Int8;
};

/** Written by triggers (sql/0257_feed.sql). */
export type FeedTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  place: Generated<string | null>;
  kind: 'alarm' | 'action' | 'command' | 'device';
  what: string;
  ref: string;
  deviceId: DefaultInt8;
  actionId: string | null;
  occurTime: Time;
  createTime: DefaultTime;
};

export type FeedHeadTable = { tenantId: Int8; place: DefaultInt8; dropped: DefaultInt8 };
