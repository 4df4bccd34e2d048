import type { ColumnType, Generated, GeneratedAlways } from 'kysely';

import type {
  Audit,
  DefaultInt8,
  DefaultJson,
  DefaultTime,
  Int8,
  Json,
  OptionalJson,
  OptionalTime,
  Time,
} from './columns.ts';

export type SessionTable = Audit & {
  id: GeneratedAlways<string>;
  conversationId: string;
  title: Generated<string>;
  sessionExt: DefaultJson;
  tenantId: Int8;
  userId: Int8;
};

export type MessageTable = {
  id: GeneratedAlways<string>;
  conversationId: string;
  messageIndex: Int8;
  role: 'user' | 'assistant';
  content: Json;
  model: Generated<string>;
  status: Generated<number>;
  tenantId: Int8;
  userId: Int8;
  createTime: DefaultTime;
  actionId: Generated<string | null>;
  actionStep: Generated<number>;
  parentIndex: ColumnType<string | null, string | number | null | undefined, never>;
  onBranch: ColumnType<boolean, never, boolean>;
  turnId: ColumnType<string | null, string | null | undefined, never>;
};

/** Optional table: exists only where the chat memory was set up (sql/memory.sql). */
export type ChatMemoryTable = {
  id: GeneratedAlways<string>;
  conversationId: string;
  turnIndex: Int8;
  messages: ColumnType<unknown, string, string>;
  messageCount: number;
  tenantId: Int8;
  userId: Int8;
  createTime: DefaultTime;
};

/** What clients of the chat come back with, in place of a conversation id. */
export type ChatHandleTable = {
  tenantId: Int8;
  userId: Int8;
  handle: string;
  conversationId: string;
  state: ColumnType<unknown, string | null, string | null>;
  createTime: Time;
  expireTime: Time;
};

export type AttachmentTable = Audit & {
  id: GeneratedAlways<string>;
  conversationId: string;
  fileName: string;
  contentType: string;
  size: Int8;
  sha256: string;
  filePath: string;
  tenantId: Int8;
  userId: Int8;
};

export type ActionTable = {
  id: GeneratedAlways<string>;
  actionId: string;
  tenantId: Int8;
  userId: Int8;
  userName: Generated<string>;
  proposedVia: string;
  clientId: Generated<string>;
  conversationId: Generated<string>;
  toolCallId: Generated<string>;
  actionType: Generated<string>;
  title: Generated<string>;
  description: Generated<string>;
  deviceId: Int8;
  pointId: Int8;
  payload: Json;
  digest: string;
  digestRequired: Generated<boolean>;
  status: Generated<number>;
  expireTime: Time;
  decidedBy: DefaultInt8;
  decidedName: Generated<string>;
  decidedTime: OptionalTime;
  comment: Generated<string>;
  commandId: string | null;
  createTime: DefaultTime;
  operateTime: DefaultTime;
  told: Generated<boolean>;
  /** Decided by a standing approval, which then had so many uses left. */
  approvalId: Generated<string | null>;
  approvalLeft: Generated<number | null>;
  /** sql/0280_action_result.sql */
  result: OptionalJson;
};

/** An origin of web pages that may call the chat of the tenant. */
export type ChatOriginTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  origin: string;
};

export type ApprovalSwitchTable = {
  tenantId: Int8;
  isOn: boolean;
  operatorId: DefaultInt8;
  operatorName: Generated<string>;
  operateTime: DefaultTime;
};

/** Writes of one agent that a person approved beforehand. */
export type StandingApprovalTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  approvalId: string;
  agentId: Int8;
  clientId: Generated<string>;
  makerId: Int8;
  makerName: string;
  card: Json;
  digest: string;
  untilTime: Time;
  maxUses: number;
  used: Generated<number>;
  ended: Generated<'' | 'REVOKED' | 'VOID'>;
  endedName: Generated<string>;
  endedWhy: Generated<string>;
  endedTime: OptionalTime;
  createTime: Time;
};

export type StandingUseTable = {
  tenantId: Int8;
  approvalId: string;
  actionId: string;
  deviceId: Int8;
  pointId: Int8;
  useTime: Time;
};

/** The writes of a proposal of several. */
export type ActionStepTable = {
  tenantId: Int8;
  actionId: string;
  step: number;
  deviceId: Int8;
  pointId: Int8;
  commandId: Generated<string | null>;
  refusal: Generated<string>;
};

/** Keys that callers gave with their proposals. */
export type ActionKeyTable = {
  tenantId: Int8;
  userId: Int8;
  tool: string;
  key: string;
  arguments: string;
  actionId: string;
  createTime: Time;
};

export type ModelProviderTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  name: string;
  providerType: number;
  baseUrl: Generated<string>;
  model: Generated<string>;
  apiKey: Generated<string>;
  headerNames: ColumnType<string[], string | undefined, string>;
  headers: Generated<string>;
  proxy: Generated<string>;
  proxyLogin: Generated<string>;
  defaultFlag: Generated<number>;
  enableFlag: Generated<number>;
  timeouts: DefaultJson;
  learned: DefaultJson;
};

export type ModelConfigTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  providerId: Int8;
  model: string;
  label: Generated<string>;
  stream: Generated<boolean>;
  toolCall: Generated<boolean>;
  vision: Generated<boolean>;
  reasoning: Generated<boolean>;
  temperature: Generated<number>;
  maxTokens: Generated<number>;
  defaultFlag: Generated<number>;
  enableFlag: Generated<number>;
  parameters: DefaultJson;
  price: DefaultJson;
  fallbackOrder: Generated<number>;
};
