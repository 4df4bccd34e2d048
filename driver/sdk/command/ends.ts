/** Outcome of a command; each kind of command adds its own fields. */
export type Ended = {
  status: 'SUCCESS' | 'FAILED' | 'EXPIRED' | 'DUPLICATE' | 'UNKNOWN';
  /** Of a command that waited: time since its turn at the device. */
  askedMs?: number;
  errorCode?: string;
  errorMessage?: string;
};

/** Ends of commands that no device was asked to execute, or that are not executed again. */

export const duplicate: Ended = { status: 'DUPLICATE' };
export const expired: Ended = {
  status: 'EXPIRED',
  errorCode: 'EXPIRED',
  errorMessage: 'the command expired before it was executed',
};
export const asleep: Ended = {
  status: 'EXPIRED',
  errorCode: 'ASLEEP',
  errorMessage: 'the device slept until the time of the command was over: nothing was sent to it',
};
export const sleeperFull: Ended = {
  status: 'FAILED',
  errorCode: 'SLEEPER_FULL',
  errorMessage: 'too many commands wait for the device to wake; nothing was sent to it',
};
export const handedOutBefore: Ended = {
  status: 'UNKNOWN',
  errorCode: 'REDELIVERED',
  errorMessage:
    'the command was handed out before and may have been executed then; it was not executed again',
};
export const servedElsewhere: Ended = {
  status: 'FAILED',
  errorCode: 'NODE_AWAY',
  errorMessage: 'another driver node serves the device now; nothing was sent to the device',
};
export const interrupted: Ended = {
  status: 'UNKNOWN',
  errorCode: 'DRIVER_RESTARTED',
  errorMessage: 'the driver stopped while the command was under way',
};
