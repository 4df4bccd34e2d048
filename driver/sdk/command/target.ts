import type { Payload } from '../../../src/bus/topic/topics.ts';
import { type DriverDevice, DriverFailure, type DriverPoint } from '../driver.ts';
import { until } from '../wait.ts';
import type { OnceParts } from './at-most-once.ts';

export type PointCommand = Payload<'svc.e.point_command'>;

/** Metadata and commands travel separately: a change may arrive after a command that relies on it. */
export const BEHIND_MS = 1_000;

/** The device and the point that a command is for. */
export type Target = { device: DriverDevice; point: DriverPoint };

/** Throws `DriverFailure` for a command that this driver cannot do. */
export function targetOf(
  devices: ReadonlyMap<string, DriverDevice>,
  { tenantId, deviceId, pointId, type }: PointCommand,
): Target {
  const device = devices.get(deviceId);
  if (device?.tenantId !== tenantId)
    throw new DriverFailure('DEVICE_UNKNOWN', 'the driver does not know this device');
  if (!device.enabled) throw new DriverFailure('DEVICE_DISABLED', 'the device is disabled');
  const point = device.points.find(({ id }) => id === pointId);
  if (!point) throw new DriverFailure('POINT_UNKNOWN', 'the device has no such point');
  if (type === 'WRITE' && point.rw === 'READ_ONLY')
    throw new DriverFailure('NOT_WRITABLE', 'the point is read-only');
  if (type === 'READ' && point.rw === 'WRITE_ONLY')
    throw new DriverFailure('NOT_READABLE', 'the point is write-only');
  return { device, point };
}

/** Resolves once a newly registered device, in doubt until then, was compared by the center; or after a second. */
export async function untilCompared(
  { devices, serving, clock }: Pick<OnceParts, 'devices' | 'serving' | 'clock'>,
  deviceId: string,
  deadline: number,
): Promise<void> {
  const isCompared = (): boolean => {
    const device = devices.get(deviceId);
    return !device || serving.isCompared(device);
  };
  await until(clock, Math.min(clock.now() + BEHIND_MS, deadline), isCompared);
}
