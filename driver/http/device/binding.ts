import { type Bound, boundBy, isBound } from '../../report/bound.ts';
import type { JsonPath } from '../../report/json.ts';
import type { DriverCommand, DriverDevice, DriverPoint } from '../../sdk/driver.ts';
import { misconfigured } from '../../sdk/failure.ts';
import { urlOf } from './address.ts';
import {
  type CommandSettings,
  commandSettings,
  type DeviceSettings,
  deviceSettings,
  type PointSettings,
  pointSettings,
} from './attributes.ts';

/** A point with its parsed settings: its key in a push, the path to its value, the URLs of reads and writes. */
export type BoundPoint = {
  point: DriverPoint;
  settings: PointSettings;
  /** What a push calls it. */
  key: string;
  valuePath: JsonPath;
  /** Where it is asked for and written; null: it is not. */
  url: URL | null;
  writeUrl: URL | null;
};

/** A command with where it is sent; its settings make sense. */
type BoundCommand = { settings: CommandSettings; url: URL };

export type BoundDevice = {
  device: DriverDevice;
  settings: DeviceSettings;
  /** Where its values are asked for; null for a device that pushes. */
  url: URL | null;
  /** What a push of its gateway calls it. */
  key: string;
  /** The keys of its signatures: more than one while they are changed, none of what a gateway pushes for. */
  secrets: readonly Buffer[];
  /** By point id: the point, or why its settings make no sense. */
  points: ReadonlyMap<string, Bound<BoundPoint>>;
  /** By command id, as the points. */
  commands: ReadonlyMap<string, Bound<BoundCommand>>;
  /** By what a push calls them. */
  byKey: ReadonlyMap<string, readonly BoundPoint[]>;
};

/** Throws `DriverFailure` for settings of the device that make no sense; those of a point are with the point. */
export function bind(device: DriverDevice): BoundDevice {
  const settings = deviceSettings(device);
  const secrets = [settings.secret, settings.oldSecret].filter((secret) => secret !== null);
  if (secrets.length === 0 && settings.gateway === '' && settings.url === '')
    throw misconfigured('it needs a secret to push, a gateway that pushes for it, or a url');
  const names = { device: settings.device || device.name };
  const url = settings.url === '' ? null : urlOf('url', settings.url, names);
  const points = new Map(device.points.map((point) => [point.id, bindPoint(point, url, names)]));
  const sound = [...points.values()].filter(isBound);
  return {
    device,
    settings,
    key: names.device,
    url,
    secrets,
    points,
    commands: new Map(
      (device.commands ?? []).map((command) => [command.id, bindCommand(command, url, names)]),
    ),
    byKey: Map.groupBy(sound, ({ key }) => key),
  };
}

const bindCommand = (
  command: DriverCommand,
  base: URL | null,
  of: { device: string },
): Bound<BoundCommand> =>
  boundBy(() => {
    const settings = commandSettings(command);
    const names = { ...of, command: command.code };
    return { settings, url: urlOf('url', settings.url, names, base) };
  });

function bindPoint(
  point: DriverPoint,
  base: URL | null,
  of: { device: string },
): Bound<BoundPoint> {
  return boundBy(() => {
    const settings = pointSettings(point);
    const key = settings.key || point.name;
    const names = { ...of, point: key };
    if (settings.url !== '' && !base) throw misconfigured('url: the device has none');
    const at = (code: 'url' | 'writeUrl'): URL | null =>
      settings[code] === '' ? null : urlOf(code, settings[code], names, base);
    return {
      point,
      settings,
      key,
      valuePath: settings.valuePath ?? [key],
      url: at('url') ?? base,
      writeUrl: at('writeUrl'),
    };
  });
}
