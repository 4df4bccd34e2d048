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

export type EventHistoryTable = {
  id: GeneratedAlways<string>;
  recordId: string;
  tenantId: Int8;
  deviceId: Int8;
  eventId: DefaultInt8;
  eventCode: Generated<string>;
  eventTypeFlag: Generated<number>;
  eventLevelFlag: Generated<number>;
  paramValues: DefaultJson;
  configSnapshot: DefaultJson;
  message: Generated<string>;
  occurTime: Time;
  claimedTime: OptionalTime;
  receiveTime: DefaultTime;
  acknowledgeFlag: Generated<number>;
  acknowledgeTime: OptionalTime;
  acknowledgeUserId: DefaultInt8;
  schemaVersion: Generated<number>;
  createTime: DefaultTime;
  operateTime: DefaultTime;
};

export type EntityAlarmTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  alarmTargetTypeFlag: number;
  entityId: Int8;
  driverId: DefaultInt8;
  deviceId: DefaultInt8;
  pointId: DefaultInt8;
  ruleId: DefaultInt8;
  ruleStateId: DefaultInt8;
  alarmTypeFlag: number;
  alarmSourceFlag: number;
  alarmLevelFlag: Generated<number>;
  message: Generated<string>;
  alarmExt: DefaultJson;
  confirmFlag: Generated<number>;
  confirmTime: OptionalTime;
  confirmUserId: DefaultInt8;
  stateFlag: number | null;
  firstTriggerTime: OptionalTime;
  lastTriggerTime: OptionalTime;
  lastRecoverTime: OptionalTime;
  lastNotifyTime: OptionalTime;
  triggerCount: DefaultInt8;
  condition: Generated<string>;
  endReason: Generated<string>;
  confirmUserName: string | null;
  confirmNote: Generated<string>;
  assigneeId: DefaultInt8;
  assigneeName: Generated<string>;
  urgency: GeneratedAlways<number>;
  createTime: DefaultTime;
  operateTime: DefaultTime;
};

export type RuleTable = Audit & {
  id: GeneratedAlways<string>;
  alarmTargetTypeFlag: number;
  ruleName: string;
  ruleCode: Generated<string>;
  entityId: DefaultInt8;
  notifyId: DefaultInt8;
  messageId: DefaultInt8;
  ruleExt: DefaultJson;
  enableFlag: Generated<number>;
  tenantId: Int8;
};

export type RuleStateTable = Audit & {
  id: GeneratedAlways<string>;
  ruleId: DefaultInt8;
  alarmTargetTypeFlag: number;
  entityId: Int8;
  deviceId: DefaultInt8;
  fingerprint: string;
  entityStateFlag: Generated<number>;
  firstTriggerTime: OptionalTime;
  lastTriggerTime: OptionalTime;
  lastRecoverTime: OptionalTime;
  lastNotifyTime: OptionalTime;
  triggerCount: DefaultInt8;
  alarmId: DefaultInt8;
  holdingSince: OptionalTime;
  lastFactTime: OptionalTime;
  lastFactSeq: DefaultInt8;
  entityStateExt: DefaultJson;
  memory: DefaultJson;
  silencedUntil: OptionalTime;
  silencedBy: Generated<string>;
  silenceReason: Generated<string>;
  tenantId: Int8;
};

export type NotifyTable = Audit & {
  id: GeneratedAlways<string>;
  notifyName: string;
  notifyCode: Generated<string>;
  autoConfirmFlag: Generated<number>;
  notifyInterval: DefaultInt8;
  /** sql/0485_policy_template.sql */
  messageId: DefaultInt8;
  notifyExt: DefaultJson;
  enableFlag: Generated<number>;
  tenantId: Int8;
};

export type NotifyChannelTable = Audit & {
  id: GeneratedAlways<string>;
  channelName: string;
  channelCode: Generated<string>;
  channelTypeFlag: number;
  target: Generated<string>;
  credentialRef: Generated<string>;
  credential: Generated<string>;
  /** sql/0484_answer_secret.sql */
  answerSecret: Generated<string>;
  channelExt: DefaultJson;
  enableFlag: Generated<number>;
  tenantId: Int8;
};

export type NotifyChannelBindTable = Audit & {
  id: GeneratedAlways<string>;
  notifyId: Int8;
  channelId: Int8;
  bindExt: DefaultJson;
  enableFlag: Generated<number>;
  tenantId: Int8;
};

export type MessageTemplateTable = Audit & {
  id: GeneratedAlways<string>;
  messageName: string;
  messageCode: Generated<string>;
  messageLevel: Generated<number>;
  messageExt: DefaultJson;
  enableFlag: Generated<number>;
  tenantId: Int8;
};

export type NotifyHistoryTable = Audit & {
  id: GeneratedAlways<string>;
  ruleId: DefaultInt8;
  notifyId: DefaultInt8;
  messageId: DefaultInt8;
  channelId: Int8;
  alarmId: Int8;
  channelTypeFlag: number;
  target: Generated<string>;
  statusFlag: Generated<number>;
  requestExt: DefaultJson;
  responseExt: DefaultJson;
  errorMessage: Generated<string>;
  retryCount: Generated<number>;
  nextTryTime: OptionalTime;
  deliveryId: GeneratedAlways<string>;
  ruleStateId: DefaultInt8;
  /** Of a message about several alarms. */
  ruleStateIds: Generated<string[]>;
  eventFlag: Generated<number>;
  tenantId: Int8;
};

/** sql/0258_ledger.sql */
export type NotifyLedgerTable = {
  tenantId: Int8;
  alarmId: Int8;
  notifyId: Int8;
  channelId: Int8;
  messageId: DefaultInt8;
  /** Of the newest message about the firing that was written. */
  levelFlag: number | null;
  causeId: DefaultInt8;
  knownFlag: Generated<number>;
  knownTime: OptionalTime;
  firedCount: Generated<number>;
  historyId: DefaultInt8;
  failureCount: Generated<number>;
  uncalled: Generated<boolean>;
  mutedUntil: OptionalTime;
  reason: Generated<string>;
  acknowledgedTime: OptionalTime;
  confirmKnown: Generated<boolean>;
  /** Its receiver may have a message about the firing, and did not answer that. */
  unanswered: Generated<boolean>;
  gatherKey: Generated<string>;
  gatherTime: OptionalTime;
  firedIn: DefaultInt8;
  overIn: DefaultInt8;
  dueTime: OptionalTime;
  endTime: OptionalTime;
  createTime: DefaultTime;
  operateTime: DefaultTime;
};

/** sql/0275_maintenance.sql */
export type MaintenanceTable = Audit & {
  id: GeneratedAlways<string>;
  maintenanceName: string;
  scopeFlag: number;
  entityIds: ColumnType<string[], string | undefined, string>;
  modeFlag: Generated<number>;
  owner: Generated<string>;
  reason: Generated<string>;
  beginTime: Time;
  endTime: Time;
  tenantId: Int8;
};

/** sql/0276_alarm_care.sql */
export type AlarmCommentTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  alarmId: Int8;
  commentText: string;
  creatorId: DefaultInt8;
  creatorName: Generated<string>;
  createTime: DefaultTime;
};
