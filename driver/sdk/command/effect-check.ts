import { effectDigest } from '../../../src/bus/effect.ts';
import type { Clock } from '../../../src/kernel/clock.ts';
import { DriverFailure } from '../driver.ts';
import { until } from '../wait.ts';
import { BEHIND_MS, type PointCommand, type Target } from './target.ts';

/** Whether the effect of the write here equals the effect that the platform checked. */
function isAsChecked(
  driverCode: string,
  { device, point }: Target,
  command: PointCommand,
): boolean {
  const { effect, tenantId, value } = command;
  const { driverId } = device;
  return (
    effectDigest({ tenantId, driverId, driverCode, device, point, value: value ?? '' }) === effect
  );
}

const isMissing = ({ effect }: PointCommand): boolean => effect === undefined || effect === null;

/** Throws `DriverFailure` EFFECT_MISSING or EFFECT_CHANGED, before the device is touched. */
export function demandAsChecked(driverCode: string, target: Target, command: PointCommand): void {
  if (isMissing(command))
    throw new DriverFailure(
      'EFFECT_MISSING',
      'the command does not say what it was checked to do: nothing was written',
    );
  if (isAsChecked(driverCode, target, command)) return;
  throw new DriverFailure(
    'EFFECT_CHANGED',
    'the driver knows another configuration of the device or point: nothing was written',
  );
}

type Waiting = {
  driverCode: string;
  find: (command: PointCommand) => Target;
  clock: Clock;
  deadline: number;
};

/** Resolves once the driver's metadata give the checked effect, or after a second. */
export async function untilAsChecked(
  { driverCode, find, clock, deadline }: Waiting,
  command: PointCommand,
): Promise<void> {
  if (isMissing(command)) return;
  await until(clock, Math.min(clock.now() + BEHIND_MS, deadline), isKnown);

  function isKnown(): boolean {
    try {
      return isAsChecked(driverCode, find(command), command);
    } catch {
      // Missing or disabled in this driver's metadata, which may be behind as well.
      return false;
    }
  }
}
