import type { OptionalTime, Time } from './columns.ts';

export type ListeningTable = {
  kind: 'state' | 'value';
  aliveTime: Time;
  sinceTime: Time;
  pausedTime: OptionalTime;
};
