import { DriverFailure } from './driver.ts';

/** `UNKNOWN` for a write that was sent: the device may have done it. */
type Outcome = DriverFailure['outcome'];

/** The device did not answer: its other points are left alone until the next collection. */
export const silent = (
  message = 'the device did not answer in time',
  outcome: Outcome = 'FAILED',
): DriverFailure => new DriverFailure('TIMEOUT', message, outcome);

/** There is no way to the device now, so nothing was sent to it. */
export const offline = (message: string): DriverFailure =>
  new DriverFailure('DEVICE_OFFLINE', message);

/** The device answered no, and did nothing; its other points are asked for. */
export const refused = (message: string, outcome: Outcome = 'FAILED'): DriverFailure =>
  new DriverFailure('DEVICE_REFUSED', message, outcome);

/** The device answered with what is no value of the point. */
export const invalid = (message: string): DriverFailure =>
  new DriverFailure('VALUE_INVALID', message);

/** The device sends the point by itself and takes no request for it: nothing was sent. */
export const reportsOnly = (): DriverFailure =>
  new DriverFailure(
    'REPORTS_ONLY',
    'the device sends this point by itself and cannot be asked for it; its latest value says when it was sent',
  );

/** The settings of the point make no sense for the protocol: nothing was sent. */
export const misconfigured = (message: string): DriverFailure =>
  new DriverFailure('POINT_CONFIG', message);
