import { effectDigest } from '../../bus/effect.ts';
import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { findRow } from '../../kernel/entity/row.ts';
import { NotFound, Unprocessable } from '../../kernel/errors.ts';
import { Device } from '../../manager/device/device.ts';
import { Driver } from '../../manager/driver/driver.ts';
import { type Settings, settingsOf, valuesOf } from '../../manager/entity/setting.ts';
import { canonical, isNumeric, rangeOf } from '../../manager/entity/value-type.ts';
import { convert, measureIn } from '../../manager/find/convert-unit.ts';
import { Point } from '../../manager/profile/point.ts';
import { notOpen, openInstead, outOfLimits, wrongType } from '../command/refusal-text.ts';
import { driverOf, type Serving, servingOf } from './serving.ts';

export type Target = {
  device: Device;
  point: Point;
  driver: Driver;
  serving: Serving;
};
type Pair = { deviceId: string; pointId: string };

/** Of a converted value: a point of whole degrees may well be set to 21.1. */
const FEWEST_DECIMALS = 1;

/** The device, point and driver of a command, as far as they exist. */
async function placeOf(q: Queries, tenantId: string, { deviceId, pointId }: Pair) {
  const [device, point, driver, serving] = await Promise.all([
    findRow(q, 'svc_device', tenantId, deviceId),
    findRow(q, 'svc_point', tenantId, pointId),
    driverOf(q, tenantId, deviceId),
    servingOf(q, tenantId, deviceId),
  ]);
  return {
    device: device && Device.of(device),
    point: point && Point.of(point),
    driver: driver && Driver.of(driver),
    serving,
  };
}

/**
 * The target of a command, checked in the order of docs/specification/commands.md, Checks before a command:
 * throws NotFound (404) for a missing device, point or driver, Unprocessable (422) for a disabled or mismatched
 * one.
 */
async function checkTarget(q: Queries, tenantId: string, pair: Pair): Promise<Target> {
  const { device, point, driver, serving } = await placeOf(q, tenantId, pair);
  if (!device) throw new NotFound('Device');
  if (device.enableFlag !== 'ENABLE') throw new Unprocessable('The device is disabled');
  if (!point) throw new NotFound('Point');
  if (point.enableFlag !== 'ENABLE') throw new Unprocessable('The point is disabled');
  if (point.profileId !== device.profileId)
    throw new Unprocessable("The point does not belong to the device's profile");
  if (!driver) throw new NotFound('Driver');
  if (driver.enableFlag !== 'ENABLE') throw new Unprocessable('The driver is disabled');
  return { device, point, driver, serving };
}

/** `checkTarget`, and the point must be readable. Its queries are asked side by side. */
export async function checkRead(q: Queries, tenantId: string, given: Pair): Promise<Target> {
  const [target, open] = await Promise.all([
    checkTarget(q, tenantId, given),
    openInstead(q, tenantId, given.pointId, 'readable'),
  ]);
  if (target.point.rwFlag === 'WRITE_ONLY') throw notOpen(target.point, 'readable', open);
  return target;
}

/** A checked write: the canonical value, and everything that decides its effect. */
export type CheckedWrite = Target & {
  value: string;
  /** What was asked for in another unit than that of the point. */
  askedAs?: string | undefined;
  settings: Settings;
  effect: string;
};

/**
 * `checkTarget`, and the point must accept the value: writable, right type, within its limits. Its queries are
 * asked side by side. `takesUnits`: a number with a unit is converted to that of the point, where a person sees both before
 * it is written.
 */
export async function checkWrite(
  q: Queries,
  app: Pick<App, 'keys'>,
  tenantId: string,
  given: Pair & { value: string },
  { takesUnits = false } = {},
): Promise<CheckedWrite> {
  const [target, open, settings] = await Promise.all([
    checkTarget(q, tenantId, given),
    openInstead(q, tenantId, given.pointId, 'writable'),
    settingsOf(q, app, tenantId, given),
  ]);
  if (target.point.rwFlag === 'READ_ONLY') throw notOpen(target.point, 'writable', open);
  const read = takesUnits ? inUnitOf(target.point, given.value) : null;
  const value = checkValue(target.point, read ?? given.value);
  const isConverted = read !== null && Number(read) !== measureIn(given.value)?.value;
  const askedAs = isConverted ? given.value.trim() : undefined;
  if (!settings) throw new Unprocessable('The profile of the device is disabled');
  const effect = effectOf(tenantId, target, settings, value);
  return { ...target, value, askedAs, settings, effect };
}

/**
 * The effect digest of a write under the present configuration, allowed or not; null if the device, point or
 * driver is deleted, or the profile is disabled.
 */
export async function presentEffect(
  q: Queries,
  app: Pick<App, 'keys'>,
  tenantId: string,
  { value, ...pair }: Pair & { value: string },
): Promise<string | null> {
  const [{ device, point, driver }, settings] = await Promise.all([
    placeOf(q, tenantId, pair),
    settingsOf(q, app, tenantId, pair),
  ]);
  if (!device || !point || !driver || !settings) return null;
  return effectOf(tenantId, { device, point, driver }, settings, value);
}

function effectOf(
  tenantId: string,
  { device, point, driver }: Omit<Target, 'serving'>,
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

/**
 * A number with a unit of the same quantity, in the unit of a numeric point and to its decimals; null for anything else,
 * and where a whole number would have to be rounded.
 */
function inUnitOf(
  { pointTypeFlag: type, unit, valueDecimal }: Point,
  given: string,
): string | null {
  const measure = isNumeric(type) ? measureIn(given) : null;
  const number = measure && convert(measure.value, measure.unit, unit);
  if (number === null) return null;
  const rounded = Number(number.toPrecision(12));
  if (rangeOf(type).whole) return Number.isInteger(rounded) ? String(rounded) : null;
  return String(Number(rounded.toFixed(Math.max(valueDecimal, FEWEST_DECIMALS))));
}

/** The canonical text of a value for this point; throws Unprocessable with the reason. */
function checkValue(point: Point, given: string): string {
  const { pointTypeFlag: type, minValue, maxValue } = point;
  // An empty text is a text: it resets `/5/0/1`, or a name that is not wanted any more.
  if (type !== 'STRING' && given.trim() === '')
    throw new Unprocessable('The value must not be blank');
  const value = canonical(type, given);
  if (value === null) throw wrongType(point, given);
  const number = Number(value);
  const below = minValue !== null && number < minValue;
  const above = maxValue !== null && number > maxValue;
  if (isNumeric(type) && (below || above)) throw outOfLimits(point, value);
  return value;
}
