import { z } from 'zod';

import { effectDigest } from '../../bus/effect.ts';
import { AppError, Unprocessable } from '../../core/errors.ts';
import { Text } from '../../core/input/text.ts';
import type { Queries } from '../../db/connect.ts';
import { rowOf } from '../../entity/row.ts';
import { Device } from '../../manager/device/device.ts';
import { Driver } from '../../manager/driver/driver.ts';
import { Point } from '../../manager/profile/point.ts';
import { canonical, isNumeric } from '../../manager/profile/value-type.ts';
import { type Settings, settingsOf, valuesOf } from '../../manager/setting.ts';
import { notOpen, outOfLimits, wrongType } from './refusal-text.ts';

/** A value to write, from a client; integers beyond 2^53 must be text. */
export const ValueInput = z
  .union([
    Text(4096),
    z.number().refine((n) => !Number.isInteger(n) || Number.isSafeInteger(n)),
    z.boolean(),
  ])
  .transform(String)
  .meta({ examples: [72.5] });

export type Target = { device: Device; point: Point; driver: Driver };
type Pair = { deviceId: string; pointId: string };

/**
 * The device, point and driver of a command, checked in the order of docs/specification/commands.md, Checks
 * before a command: throws NotFound (404) for a missing one, Unprocessable (422) for a disabled or mismatched
 * one.
 */
async function checkTarget(
  q: Queries,
  tenantId: string,
  { deviceId, pointId }: Pair,
): Promise<Target> {
  const device = Device.of(await rowOf(q, 'svc_device', tenantId, deviceId));
  if (device.enableFlag !== 'ENABLE') throw new Unprocessable('The device is disabled');
  const point = Point.of(await rowOf(q, 'svc_point', tenantId, pointId));
  if (point.enableFlag !== 'ENABLE') throw new Unprocessable('The point is disabled');
  if (point.profileId !== device.profileId)
    throw new Unprocessable("The point does not belong to the device's profile");
  const driver = Driver.of(await rowOf(q, 'svc_driver', tenantId, device.driverId));
  if (driver.enableFlag !== 'ENABLE') throw new Unprocessable('The driver is disabled');
  return { device, point, driver };
}

/** `checkTarget`, and the point must be readable. */
export async function checkRead(q: Queries, tenantId: string, given: Pair): Promise<Target> {
  const target = await checkTarget(q, tenantId, given);
  if (target.point.rwFlag === 'WRITE_ONLY')
    throw await notOpen(q, tenantId, target.point, 'readable');
  return target;
}

/** A checked write: the canonical value, and everything that decides its effect. */
export type CheckedWrite = Target & { value: string; settings: Settings; effect: string };

/** `checkTarget`, and the point must accept the value: writable, right type, within its limits. */
export async function checkWrite(
  q: Queries,
  tenantId: string,
  given: Pair & { value: string },
): Promise<CheckedWrite> {
  const target = await checkTarget(q, tenantId, given);
  if (target.point.rwFlag === 'READ_ONLY')
    throw await notOpen(q, tenantId, target.point, 'writable');
  const value = checkValue(target.point, given.value);
  const settings = await settingsOf(q, tenantId, given);
  return { ...target, value, settings, effect: effectOf(tenantId, target, settings, value) };
}

/**
 * The effect digest of a write under the present configuration, allowed or not; null if the device, point or
 * driver is deleted.
 */
export async function presentEffect(
  q: Queries,
  tenantId: string,
  { value, ...pair }: Pair & { value: string },
): Promise<string | null> {
  try {
    const device = Device.of(await rowOf(q, 'svc_device', tenantId, pair.deviceId));
    const point = Point.of(await rowOf(q, 'svc_point', tenantId, pair.pointId));
    const driver = Driver.of(await rowOf(q, 'svc_driver', tenantId, device.driverId));
    const settings = await settingsOf(q, tenantId, pair);
    return effectOf(tenantId, { device, point, driver }, settings, value);
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function effectOf(
  tenantId: string,
  { device, point, driver }: Target,
  settings: Settings,
  value: string,
): string {
  return effectDigest({
    tenantId,
    driverId: driver.id,
    driverCode: driver.driverCode,
    device: { id: device.id, configs: valuesOf(settings.device) },
    point: {
      id: point.id,
      type: point.pointTypeFlag,
      rw: point.rwFlag,
      base: point.baseValue,
      multiple: point.multiple,
      decimals: point.valueDecimal,
      configs: valuesOf(settings.point),
    },
    value,
  });
}

/** The canonical text of a value for this point; throws Unprocessable with the reason. */
function checkValue(point: Point, given: string): string {
  const { pointTypeFlag: type, minValue, maxValue } = point;
  if (given.trim() === '') throw new Unprocessable('The value must not be blank');
  const value = canonical(type, given);
  if (value === null) throw wrongType(point, given);
  const number = Number(value);
  const below = minValue !== null && number < minValue;
  const above = maxValue !== null && number > maxValue;
  if (isNumeric(type) && (below || above)) throw outOfLimits(point, value);
  return value;
}
