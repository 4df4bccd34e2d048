import type { GeneratedAlways } from 'kysely';

import type { Int8, OptionalTime, Time } from './columns.ts';

export type ListeningTable = {
  kind: 'state' | 'value';
  aliveTime: Time;
  sinceTime: Time;
  pausedTime: OptionalTime;
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
