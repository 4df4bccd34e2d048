import type { Generated, GeneratedAlways } from 'kysely';

import type { DefaultInt8, Int8, Time } from './columns.ts';

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
