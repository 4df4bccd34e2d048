export const AlarmTarget = { POINT: 0, DEVICE: 1, DRIVER: 2, EVENT: 3 } as const;
export type AlarmTarget = keyof typeof AlarmTarget;
export const AlarmType = { RULE: 0, OFFLINE: 1, FAULT: 2, STATE_FLIP: 3, REPORT: 4 } as const;
export const AlarmSource = {
  RULE: 0,
  STATE_TIMEOUT: 1,
  DEVICE_REPORT: 2,
  DRIVER_REPORT: 3,
  SYSTEM: 4,
  EVENT_REPORT: 5,
} as const;
/** P0 is the most urgent. */
export const AlarmLevel = { P0: 0, P1: 1, P2: 2, P3: 3 } as const;
export const ConfirmFlag = { UNCONFIRMED: 0, CONFIRMED: 1 } as const;
