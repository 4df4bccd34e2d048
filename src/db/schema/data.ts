import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

import type {
  Audit,
  DefaultInt8,
  DefaultJson,
  DefaultTime,
  Int8,
  OptionalTime,
  Time,
} from './columns.ts';

export type PointValueTable = {
  tenantId: Int8;
  deviceId: Int8;
  pointId: Int8;
  driverId: Int8;
  createTime: Time;
  seq: DefaultInt8;
  rawValue: string;
  calValue: string;
  numValue: number | null;
  quality: Generated<number>;
  receiveTime: Time;
  claimedTime: OptionalTime;
  issue: string | null;
};

export type ValueHourTable = {
  tenantId: Int8;
  deviceId: Int8;
  pointId: Int8;
  start: Time;
  driverId: Int8;
  valueCount: number;
  badCount: number;
  numberCount: number;
  lowest: number | null;
  highest: number | null;
  total: number | null;
  firstNumber: number | null;
  lastNumber: number | null;
  increase: number | null;
  firstMs: number | null;
  lastMs: number | null;
  goodTime: OptionalTime;
  hour: Buffer;
};

export type ValueDelayTable = {
  tenantId: Int8;
  start: Time;
  delayMs: number;
  valueCount: Int8;
};

export type ValueClosingTable = {
  tenantId: Int8;
  closedUntil: OptionalTime;
  closingUntil: OptionalTime;
  nextDeviceId: DefaultInt8;
  nextPointId: DefaultInt8;
  nextTime: DefaultTime;
  turnTime: OptionalTime;
  dueTime: OptionalTime;
};

/** sql/0380_value_deletion.sql */
export type ValueDeletionTable = Audit & {
  id: GeneratedAlways<string>;
  deletionName: string;
  deviceId: Int8;
  pointId: Int8;
  fromTime: Time;
  toTime: Time;
  reason: string;
  stateFlag: Generated<number>;
  valueCount: DefaultInt8;
  nextTime: DefaultTime;
  finishTime: OptionalTime;
  importId: string | null;
  tenantId: Int8;
};

/** sql/0470_value_import.sql */
export type ValueImportTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  importName: string;
  receiveTime: Time;
  fromTime: Time;
  toTime: Time;
  sentCount: number;
  valueCount: Generated<number>;
};

/** sql/0381_retention_class.sql */
export type RetentionClassTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  className: string;
  defaultFlag: Generated<number>;
  profileIds: ColumnType<string[], string | undefined, string>;
  valueDays: number | null;
  alarmDays: ColumnType<number | null, number | null | undefined, number | null>;
  notificationDays: ColumnType<number | null, number | null | undefined, number | null>;
  eventDays: ColumnType<number | null, number | null | undefined, number | null>;
  conversationDays: ColumnType<number | null, number | null | undefined, number | null>;
  beginTime: Time;
};

export type RetentionRunTable = {
  tenantId: Int8;
  dueTime: Time;
  doneTime: OptionalTime;
  valueCount: DefaultInt8;
};

export type RetentionHoldTable = Audit & {
  id: GeneratedAlways<string>;
  holdName: string;
  deviceId: DefaultInt8;
  fromTime: OptionalTime;
  toTime: OptionalTime;
  reason: string;
  tenantId: Int8;
};

export type PointLatestTable = {
  tenantId: Int8;
  deviceId: Int8;
  pointId: Int8;
  driverId: Int8;
  createTime: Time;
  seq: DefaultInt8;
  rawValue: string;
  calValue: string;
  numValue: number | null;
  quality: Generated<number>;
  receiveTime: Time;
  claimedTime: OptionalTime;
  issue: string | null;
};

export type PointCommandHistoryTable = {
  id: GeneratedAlways<string>;
  commandId: string;
  tenantId: Int8;
  type: number;
  deviceId: Int8;
  pointId: Int8;
  requestValue: string | null;
  responseValue: string | null;
  status: Generated<number>;
  verification: Generated<number>;
  readBackValue: string | null;
  errorCode: Generated<string>;
  errorMessage: Generated<string>;
  source: Generated<number>;
  sourceUserId: DefaultInt8;
  actionId: string | null;
  effectDigest: Generated<string | null>;
  occurTime: Time;
  sendTime: OptionalTime;
  waitingTime: OptionalTime;
  finishTime: OptionalTime;
  expireTime: Time;
  schemaVersion: Generated<number>;
  createTime: DefaultTime;
  operateTime: DefaultTime;
  beforeValue: Generated<string | null>;
  pointTypeFlag: Generated<number | null>;
  valueDecimal: Generated<number | null>;
  pointUnit: Generated<string | null>;
  seenValue: Generated<string | null>;
  seenTime: OptionalTime;
  settledTime: OptionalTime;
  openUntil: OptionalTime;
  reconfiguredTime: OptionalTime;
  lookedTime: OptionalTime;
  seenNews: Generated<boolean>;
};

export type CommandHistoryTable = {
  id: GeneratedAlways<string>;
  recordId: string;
  tenantId: Int8;
  deviceId: Int8;
  commandId: Int8;
  commandCode: string;
  paramValues: DefaultJson;
  resultValues: DefaultJson;
  configSnapshot: DefaultJson;
  status: Generated<number>;
  errorCode: Generated<string>;
  errorMessage: Generated<string>;
  source: Generated<number>;
  sourceUserId: DefaultInt8;
  occurTime: Time;
  sendTime: OptionalTime;
  waitingTime: OptionalTime;
  finishTime: OptionalTime;
  expireTime: Time;
  schemaVersion: Generated<number>;
  createTime: DefaultTime;
  operateTime: DefaultTime;
};

/** Written by triggers (sql/0255_audit.sql); append-only. */
export type ChangeLogTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  entityType: string;
  entityId: Int8;
  entityName: string;
  deviceId: Int8;
  pointId: Int8;
  operation: 'ADD' | 'UPDATE' | 'DELETE';
  changes: DefaultJson;
  actorId: Int8;
  actorName: string;
  actorVia: string;
  source: Generated<string>;
  createTime: Time;
};
