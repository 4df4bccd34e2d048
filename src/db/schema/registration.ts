import type { Int8, Time } from './columns.ts';

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
