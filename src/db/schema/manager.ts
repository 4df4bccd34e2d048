import type { Generated, GeneratedAlways } from 'kysely';

import type {
  DefaultInt8,
  DefaultJson,
  DefaultTime,
  Int8,
  Json,
  OptionalTime,
  Time,
  Versioned,
} from './columns.ts';

/** What a device said of itself when it registered: one row per device. */
export type DeviceRegistrationTable = {
  tenantId: Int8;
  deviceId: Int8;
  endpoint: string;
  version: string;
  registerTime: Time;
  /** Paths separated by blanks. */
  objects: string;
  leftOut: number;
};

/** An endpoint that was refused because no device has it. */
export type WaitingEndpointTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  driverCode: string;
  endpoint: string;
  keyDeviceId: DefaultInt8;
  assigned: Generated<boolean>;
  host: string;
  sinceTime: Time;
  lastTime: Time;
  attempts: number;
};

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

export type DriverTable = Versioned & {
  driverName: string;
  driverCode: string;
  serviceName: Generated<string>;
  serviceHost: Generated<string>;
  driverTypeFlag: Generated<number>;
  driverExt: DefaultJson;
};

/** An attribute that a driver declares, for itself or for points, commands or events of its devices. */
type AttributeTable = Versioned & {
  attributeName: string;
  attributeCode: string;
  attributeTypeFlag: number;
  defaultValue: Generated<string>;
  driverId: Int8;
  attributeExt: DefaultJson;
};
export type DriverAttributeTable = AttributeTable;
export type PointAttributeTable = AttributeTable;
export type CommandAttributeTable = AttributeTable;
export type EventAttributeTable = AttributeTable;

export type ProfileTable = Versioned & {
  profileName: string;
  profileCode: string;
  profileShareFlag: Generated<number>;
  profileTypeFlag: Generated<number>;
  profileExt: DefaultJson;
};

export type PointTable = Versioned & {
  pointName: string;
  pointCode: string;
  pointTypeFlag: number;
  rwFlag: Generated<number>;
  baseValue: Generated<number>;
  multiple: Generated<number>;
  valueDecimal: Generated<number>;
  minValue: Generated<number | null>;
  maxValue: Generated<number | null>;
  deadband: Generated<number | null>;
  unit: Generated<string>;
  profileId: Int8;
  pointExt: DefaultJson;
};

export type DeviceTable = Versioned & {
  deviceName: string;
  deviceCode: string;
  driverId: Int8;
  profileId: Int8;
  deviceExt: DefaultJson;
  metadataVersion: DefaultInt8;
};

export type DriverAttributeConfigTable = Versioned & {
  attributeId: Int8;
  configValue: string;
  configExt: DefaultJson;
  deviceId: Int8;
};

/** One row per claimed name: a new name is a new row with a higher id. */
export type EndpointClaimTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  driverCode: string;
  endpoint: string;
  deviceId: Int8;
  configId: Int8;
  createTime: DefaultTime;
  acknowledgedChange: Generated<string>;
  /** Whether the device proves a key of its own: others of other tenants may have the name then. */
  proven: Generated<boolean>;
};

export type PointAttributeConfigTable = Versioned & {
  attributeId: Int8;
  configValue: string;
  configExt: DefaultJson;
  deviceId: Int8;
  pointId: Int8;
};

export type CommandTable = Versioned & {
  commandName: string;
  commandCode: string;
  commandTypeFlag: Generated<number>;
  callTypeFlag: Generated<number>;
  timeout: Generated<number>;
  commandExt: DefaultJson;
  profileId: Int8;
};

export type EventTable = Versioned & {
  eventName: string;
  eventCode: string;
  eventTypeFlag: Generated<number>;
  eventLevelFlag: Generated<number>;
  eventExt: DefaultJson;
  profileId: Int8;
};

export type CommandParamTable = Versioned & {
  paramName: string;
  paramCode: string;
  paramDirectionFlag: Generated<number>;
  paramTypeFlag: number;
  requiredFlag: Generated<number>;
  defaultValue: Generated<string>;
  paramExt: DefaultJson;
  commandId: Int8;
};

export type EventParamTable = Versioned & {
  paramName: string;
  paramCode: string;
  paramTypeFlag: number;
  paramExt: DefaultJson;
  eventId: Int8;
};

export type CommandAttributeConfigTable = Versioned & {
  attributeId: Int8;
  configValue: string;
  configExt: DefaultJson;
  deviceId: Int8;
  commandId: Int8;
};

export type EventAttributeConfigTable = Versioned & {
  attributeId: Int8;
  configValue: string;
  configExt: DefaultJson;
  deviceId: Int8;
  eventId: Int8;
};

export type GroupTable = Versioned & {
  entityTypeFlag: number;
  parentGroupId: DefaultInt8;
  groupName: string;
  groupCode: string;
  groupLevel: Generated<number>;
  groupIndex: Generated<number>;
};

export type GroupBindTable = Versioned & {
  entityTypeFlag: number;
  groupId: Int8;
  entityId: Int8;
};

export type LabelTable = Versioned & {
  entityTypeFlag: number;
  labelName: string;
  labelCode: string;
  labelColor: Generated<string>;
};

export type LabelBindTable = Versioned & {
  entityTypeFlag: number;
  labelId: Int8;
  entityId: Int8;
};

export type DeviceImportTable = {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  importId: string;
  driverId: Int8;
  profileId: Int8;
  status: Generated<'RUNNING' | 'DONE' | 'CANCELLED' | 'FAILED'>;
  why: Generated<string>;
  total: number;
  added: Generated<number>;
  changed: Generated<number>;
  unchanged: Generated<number>;
  refused: Generated<number>;
  creatorId: Int8;
  creatorName: string;
  createTime: Time;
  endTime: OptionalTime;
};

export type DeviceImportSliceTable = {
  tenantId: Int8;
  importId: string;
  slice: number;
  content: string;
};

export type DeviceImportRefusalTable = {
  tenantId: Int8;
  importId: string;
  rowNumber: number;
  deviceName: string;
  columnTitle: string;
  reason: string;
};
