import type { Generated, GeneratedAlways } from 'kysely';

import type {
  Audit,
  DefaultInt8,
  DefaultJson,
  DefaultTime,
  Int8,
  Json,
  OptionalTime,
  Time,
} from './columns.ts';

export type PrincipalType = 'USER' | 'SERVICE_ACCOUNT' | 'SYSTEM';

export type TenantTable = Audit & {
  id: GeneratedAlways<string>;
  tenantName: Generated<string>;
  tenantCode: string;
  tenantExt: DefaultJson;
  timezone: Generated<string>;
  enableFlag: Generated<number>;
};

export type PrincipalTable = Audit & {
  id: GeneratedAlways<string>;
  principalType: Generated<PrincipalType>;
  principalName: Generated<string>;
  displayName: Generated<string>;
  sourceType: Generated<'LOCAL' | 'EXTERNAL' | 'SYSTEM'>;
  enableFlag: Generated<number>;
  lockedFlag: Generated<number>;
  lastLoginTime: OptionalTime;
  principalExt: DefaultJson;
};

export type UserTable = Audit & {
  id: GeneratedAlways<string>;
  principalId: Int8;
  userName: Generated<string>;
  nickName: Generated<string>;
  phone: Generated<string>;
  email: Generated<string>;
  socialExt: DefaultJson;
  identityExt: DefaultJson;
  enableFlag: Generated<number>;
};

export type LocalCredentialTable = Audit & {
  id: GeneratedAlways<string>;
  principalId: Int8;
  loginName: string;
  loginNameNormalized: string;
  credentialType: Generated<'PASSWORD'>;
  passwordHash: string;
  passwordAlgorithm: string;
  passwordParams: DefaultJson;
  passwordUpdatedTime: OptionalTime;
  passwordExpireTime: OptionalTime;
  failedAttempts: Generated<number>;
  lastFailedTime: OptionalTime;
  lockedUntil: OptionalTime;
  requirePasswordChange: Generated<number>;
  credentialExt: DefaultJson;
  enableFlag: Generated<number>;
};

export type TenantMembershipTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  principalId: Int8;
  principalType: Generated<PrincipalType>;
  membershipStatus: Generated<'ACTIVE' | 'SUSPENDED' | 'INVITED'>;
  joinedTime: DefaultTime;
  membershipExt: DefaultJson;
};

/** Login and user names in use; maintained by triggers. */
export type TenantNameTable = {
  tenantId: Int8;
  kind: 'LOGIN' | 'USER';
  name: string;
  principalId: Int8;
};

export type ServiceAccountTable = Audit & {
  id: GeneratedAlways<string>;
  principalId: Int8;
  tenantId: Int8;
  serviceAccountName: string;
  ownerPrincipalId: DefaultInt8;
  purpose: Generated<string>;
  expireTime: OptionalTime;
  lastUsedTime: OptionalTime;
  credentialPolicyExt: DefaultJson;
  enableFlag: Generated<number>;
};

export type RoleTable = Audit & {
  id: GeneratedAlways<string>;
  parentRoleId: DefaultInt8;
  roleName: Generated<string>;
  roleCode: string;
  roleExt: DefaultJson;
  enableFlag: Generated<number>;
  tenantId: Int8;
};

export type ResourceTable = Audit & {
  id: GeneratedAlways<string>;
  parentResourceId: DefaultInt8;
  resourceName: Generated<string>;
  resourceCode: string;
  serviceName: Generated<string>;
  resourceTypeFlag: Generated<number>;
  resourceScopeFlag: Generated<number>;
  entityId: DefaultInt8;
  resourceExt: DefaultJson;
  enableFlag: Generated<number>;
};

export type RolePrincipalBindTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  roleId: Int8;
  principalId: Int8;
  principalType: Generated<PrincipalType>;
};

export type RoleResourceBindTable = Audit & {
  id: GeneratedAlways<string>;
  roleId: Int8;
  resourceId: Int8;
};

export type TokenRevocationTable = {
  tenantId: Int8;
  principalId: Int8;
  revokedBeforeMs: Int8;
};

export type OauthClientTable = Audit & {
  id: GeneratedAlways<string>;
  clientId: string;
  clientName: Generated<string>;
  clientType: 'PUBLIC' | 'CONFIDENTIAL';
  ownerPrincipalId: DefaultInt8;
  serviceAccountPrincipalId: DefaultInt8;
  tenantId: Int8;
  clientSecret: string | null;
  grantTypes: string[];
  redirectUris: Generated<string[]>;
  scopes: Generated<string>;
  enableFlag: Generated<number>;
};

export type LoginNameTable = {
  nameDigest: string;
  failures: Generated<number>;
  since: Date;
  lastTime: Date;
  usedTime: Date;
  sources: Generated<string[]>;
};

export type IdentityNoticeTable = {
  id: string;
  tenantId: Int8;
  kind: string;
  message: string;
  occurTime: Date;
  tryTime: Date;
  sentTime: Date | null;
};

export type OauthStoreTable = {
  kind: string;
  id: string;
  payload: Json;
  grantId: string | null;
  uid: string | null;
  userCode: string | null;
  expiresAt: OptionalTime;
  /** Address that a client registered from. */
  source: string | null;
};

export type KeyTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  principalId: Int8;
  principalType: 'USER' | 'SERVICE_ACCOUNT';
  keyName: string;
  keyPrefix: string;
  keyDigest: string;
  audience: 'mcp' | 'api';
  scopes: string[];
  expireTime: Time;
  lastUsedTime: OptionalTime;
  creatorId: DefaultInt8;
  creatorName: Generated<string>;
  createTime: DefaultTime;
};

export type IdentityAuditLogTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  principalId: Int8;
  principalType: Generated<string>;
  action: string;
  resourceType: Generated<string>;
  resourceId: Generated<string>;
  resourceName: Generated<string>;
  status: string;
  errorCode: Generated<string>;
  detailExt: DefaultJson;
  /** By default that of the transaction's actor. */
  source: Generated<string>;
  createTime: DefaultTime;
};

/** A row of one of the logs in its chain (src/auth/audit/seal.ts); append-only. */
export type AuditSealTable = {
  tenantId: Int8;
  log: string;
  seq: Int8;
  rowId: Int8;
  form: number;
  mac: string;
  sealTime: Time;
};
