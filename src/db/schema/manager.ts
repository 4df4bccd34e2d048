import type { Generated, GeneratedAlways } from 'kysely';

import type { Audit, DefaultInt8, DefaultJson, DefaultTime, Int8 } from './columns.ts';

export type DriverTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  driverName: string;
  driverCode: string;
  serviceName: Generated<string>;
  serviceHost: Generated<string>;
  driverTypeFlag: Generated<number>;
  driverExt: DefaultJson;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type DriverAttributeTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  attributeName: string;
  attributeCode: string;
  attributeTypeFlag: number;
  defaultValue: Generated<string>;
  driverId: Int8;
  attributeExt: DefaultJson;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type PointAttributeTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  attributeName: string;
  attributeCode: string;
  attributeTypeFlag: number;
  defaultValue: Generated<string>;
  driverId: Int8;
  attributeExt: DefaultJson;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type ProfileTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  profileName: string;
  profileCode: string;
  profileShareFlag: Generated<number>;
  profileTypeFlag: Generated<number>;
  profileExt: DefaultJson;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type PointTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
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
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type DeviceTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  deviceName: string;
  deviceCode: string;
  driverId: Int8;
  profileId: Int8;
  deviceExt: DefaultJson;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
  metadataVersion: DefaultInt8;
};

export type DriverAttributeConfigTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  attributeId: Int8;
  configValue: string;
  configExt: DefaultJson;
  deviceId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
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
};

export type PointAttributeConfigTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  attributeId: Int8;
  configValue: string;
  configExt: DefaultJson;
  deviceId: Int8;
  pointId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type CommandTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  commandName: string;
  commandCode: string;
  commandTypeFlag: Generated<number>;
  callTypeFlag: Generated<number>;
  timeout: Generated<number>;
  commandExt: DefaultJson;
  profileId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type EventTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  eventName: string;
  eventCode: string;
  eventTypeFlag: Generated<number>;
  eventLevelFlag: Generated<number>;
  eventExt: DefaultJson;
  profileId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type CommandAttributeTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  attributeName: string;
  attributeCode: string;
  attributeTypeFlag: number;
  defaultValue: Generated<string>;
  driverId: Int8;
  attributeExt: DefaultJson;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type EventAttributeTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  attributeName: string;
  attributeCode: string;
  attributeTypeFlag: number;
  defaultValue: Generated<string>;
  driverId: Int8;
  attributeExt: DefaultJson;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type CommandParamTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  paramName: string;
  paramCode: string;
  paramDirectionFlag: Generated<number>;
  paramTypeFlag: number;
  requiredFlag: Generated<number>;
  defaultValue: Generated<string>;
  paramExt: DefaultJson;
  commandId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type EventParamTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  paramName: string;
  paramCode: string;
  paramTypeFlag: number;
  paramExt: DefaultJson;
  eventId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type CommandAttributeConfigTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  attributeId: Int8;
  configValue: string;
  configExt: DefaultJson;
  deviceId: Int8;
  commandId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type EventAttributeConfigTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  attributeId: Int8;
  configValue: string;
  configExt: DefaultJson;
  deviceId: Int8;
  eventId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type GroupTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  entityTypeFlag: number;
  parentGroupId: DefaultInt8;
  groupName: string;
  groupCode: string;
  groupLevel: Generated<number>;
  groupIndex: Generated<number>;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type GroupBindTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  entityTypeFlag: number;
  groupId: Int8;
  entityId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type LabelTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  entityTypeFlag: number;
  labelName: string;
  labelCode: string;
  labelColor: Generated<string>;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};

export type LabelBindTable = Audit & {
  id: GeneratedAlways<string>;
  tenantId: Int8;
  entityTypeFlag: number;
  labelId: Int8;
  entityId: Int8;
  enableFlag: Generated<number>;
  signature: Generated<string>;
  version: Generated<number>;
};
