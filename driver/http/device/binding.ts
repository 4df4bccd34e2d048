import type { JsonPath } from '../../report/json.ts';
import { type DriverDevice, DriverFailure, type DriverPoint } from '../../sdk/driver.ts';
import { misconfigured } from '../../sdk/failure.ts';
import {
  type DeviceSettings,
  deviceSettings,
  type PointSettings,
  pointSettings,
} from './attributes.ts';

/** A point whose settings make sense. */
export type BoundPoint = {
  point: DriverPoint;
  settings: PointSettings;
  /** What a push calls it. */
  key: string;
  valuePath: JsonPath;
};

export type BoundDevice = {
  device: DriverDevice;
  settings: DeviceSettings;
  /** What a push of its gateway calls it. */
  key: string;
  /** The keys of its signatures: more than one while they are changed, none of what a gateway pushes for. */
  secrets: readonly Buffer[];
  /** By point id: the point, or why its settings make no sense. */
  points: ReadonlyMap<string, BoundPoint | DriverFailure>;
  /** By what a push calls them. */
  byKey: ReadonlyMap<string, readonly BoundPoint[]>;
};

const isBound = (point: BoundPoint | DriverFailure): point is BoundPoint =>
  !(point instanceof DriverFailure);

/** Throws `DriverFailure` for settings of the device that make no sense; those of a point are with the point. */
export function bind(device: DriverDevice): BoundDevice {
  const settings = deviceSettings(device);
  const secrets = [settings.secret, settings.oldSecret].filter((secret) => secret !== null);
  if (secrets.length === 0 && settings.gateway === '')
    throw misconfigured('secret: is missing, and so is the gateway that pushes for the device');
  const points = new Map(device.points.map((point) => [point.id, bindPoint(point)]));
  const sound = [...points.values()].filter(isBound);
  return {
    device,
    settings,
    key: settings.device || device.name,
    secrets,
    points,
    byKey: Map.groupBy(sound, ({ key }) => key),
  };
}

function bindPoint(point: DriverPoint): BoundPoint | DriverFailure {
  try {
    const settings = pointSettings(point);
    const key = settings.key || point.name;
    return { point, settings, key, valuePath: settings.valuePath ?? [key] };
  } catch (error) {
    if (error instanceof DriverFailure) return error;
    throw error;
  }
}
