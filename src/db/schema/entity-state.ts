import type { Generated } from 'kysely';

import type { DefaultInt8, DefaultTime, Int8, Json, OptionalTime, Time } from './columns.ts';

export type EntityStateTable = {
  tenantId: Int8;
  entityTypeFlag: number;
  entityId: Int8;
  parentEntityId: DefaultInt8;
  entityStateFlag: Generated<number>;
  lastStateFlag: Generated<number>;
  leaseVersion: DefaultInt8;
  expireTime: Time;
  lastHeartbeatTime: Time;
  lastOnlineTime: OptionalTime;
  offlineSince: OptionalTime;
  description: Generated<string>;
  createTime: DefaultTime;
  operateTime: DefaultTime;
  node: Generated<string>;
  claimTime: OptionalTime;
  peerHost: Generated<string>;
  peerClaim: DefaultInt8;
  peerChange: Json | null;
  lapsed: Generated<boolean>;
  onlineSince: OptionalTime;
  readIssue: Generated<string>;
  commandLifeMs: Generated<number>;
};
