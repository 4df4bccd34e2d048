import type { GeneratedAlways } from 'kysely';

import type { OptionalTime, Time } from './columns.ts';

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
