import type { Generated, GeneratedAlways } from 'kysely';

import type {
  Audit,
  DefaultInt8,
  DefaultJson,
  DefaultTime,
  Int8,
  OptionalTime,
  Time,
} from './columns.ts';
import type { PrincipalType } from './identity.ts';

export type IdentityProviderTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  providerCode: string;
  providerName: Generated<string>;
  providerType: Generated<string>;
  enableFlag: Generated<number>;
};

export type ExternalIdentityTable = Audit & {
  id: GeneratedAlways<string>;
  providerId: Int8;
  principalId: Int8;
  externalSubject: string;
  enableFlag: Generated<number>;
};

export type ApiTable = Audit & {
  id: GeneratedAlways<string>;
  serviceName: Generated<string>;
  apiTypeFlag: Generated<number>;
  apiName: Generated<string>;
  apiCode: string;
  apiGroup: Generated<string>;
  apiExt: DefaultJson;
  enableFlag: Generated<number>;
};

export type MenuTable = Audit & {
  id: GeneratedAlways<string>;
  parentMenuId: DefaultInt8;
  menuTypeFlag: Generated<number>;
  menuName: Generated<string>;
  menuCode: string;
  menuLevel: Generated<number>;
  menuIndex: Generated<number>;
  menuExt: DefaultJson;
  enableFlag: Generated<number>;
};

export type McpConnectionTable = Audit & {
  id: GeneratedAlways<string>;
  connectionName: string;
  clientId: string;
  principalId: Int8;
  principalType: Generated<PrincipalType>;
  tenantId: Int8;
  grantType: Generated<'authorization_code' | 'client_credentials'>;
  enableFlag: Generated<number>;
  expireTime: OptionalTime;
  revokeTime: OptionalTime;
  lastUsedTime: OptionalTime;
  readOnlyFlag: Generated<number>;
  /** Budgets of an hour that differ from the default; null: no limit. */
  budgets: DefaultJson;
  connectionExt: DefaultJson;
};

/** Tenant 0: of the platform. */
export type AgentSwitchTable = {
  tenantId: Int8;
  mode: 'ON' | 'READ_ONLY' | 'OFF';
  reason: Generated<string>;
  /** Agents that ask for what only people may do only read from then on. */
  holdFlag: Generated<number>;
  operatorId: DefaultInt8;
  operatorName: Generated<string>;
  operateTime: DefaultTime;
};

export type AgentHoldTable = {
  tenantId: Int8;
  principalId: Int8;
  principalName: Generated<string>;
  place: string;
  source: Generated<string>;
  heldFlag: number;
  createTime: DefaultTime;
};

export type McpConnectionToolTable = Audit & {
  id: GeneratedAlways<string>;
  connectionId: Int8;
  toolId: string;
  enableFlag: Generated<number>;
};

export type McpToolCatalogTable = Audit & {
  id: GeneratedAlways<string>;
  toolId: string;
  toolName: Generated<string>;
  toolTitle: Generated<string>;
  toolCategory: Generated<string>;
  serviceName: Generated<string>;
  apiCode: Generated<string>;
  permissionCode: Generated<string>;
  httpMethod: Generated<string>;
  apiPath: Generated<string>;
  schemaHash: Generated<string>;
  riskLevel: Generated<'LOW' | 'MEDIUM' | 'HIGH'>;
  readOnlyHint: Generated<number>;
  destructiveHint: Generated<number>;
  idempotentHint: Generated<number>;
  openWorldHint: Generated<number>;
  enableFlag: Generated<number>;
  toolExt: DefaultJson;
};

/** What models have read of devices and users that is more than a name. */
export type HeardTextTable = {
  tenantId: Int8;
  userId: Int8;
  clientId: string;
  digest: string;
  tool: string;
  field: string;
  subject: string;
  text: string;
  readTime: Time;
  expireTime: Time;
};

export type McpAuditLogTable = {
  id: GeneratedAlways<string>;
  traceId: Generated<string>;
  tenantId: Int8;
  principalId: Int8;
  principalType: Generated<'USER' | 'SERVICE_ACCOUNT'>;
  clientId: Generated<string>;
  connectionId: DefaultInt8;
  toolId: Generated<string>;
  toolName: Generated<string>;
  permissionCode: Generated<string>;
  riskLevel: Generated<'LOW' | 'MEDIUM' | 'HIGH'>;
  confirmId: Generated<string>;
  idempotencyKey: Generated<string>;
  argumentDigest: Generated<string>;
  status: 'SUCCESS' | 'DENIED' | 'POLICY_DENIED' | 'ERROR' | 'UNKNOWN';
  errorCode: Generated<string>;
  durationMs: DefaultInt8;
  clientName: Generated<string>;
  clientVersion: Generated<string>;
  remoteIp: Generated<string>;
  auditExt: DefaultJson;
  createTime: DefaultTime;
};
