import { type Bound, boundBy } from '../report/bound.ts';
import type { JsonPath } from '../report/json.ts';
import {
  type Driver,
  type DriverCommand,
  type DriverDevice,
  type DriverEvent,
  DriverFailure,
  type DriverPoint,
} from '../sdk/driver.ts';
import {
  type CommandSettings,
  commandSettings,
  type DeviceSettings,
  deviceSettings,
  type EventSettings,
  eventSettings,
  type PointSettings,
  pointSettings,
} from './attributes.ts';
import { filled, filterOf, matches, topicOf } from './broker/topic.ts';

/** A point with where its values come from and how they are read; its settings make sense. */
export type BoundPoint = {
  point: DriverPoint;
  settings: PointSettings;
  filter: string;
  valuePath: JsonPath;
  timePath: JsonPath | null;
  /** Empty: it is not written, not answered or not asked for. */
  writeTopic: string;
  replyTopic: string;
  readTopic: string;
};

/** A command with where it is sent and answered; its settings make sense. */
type BoundCommand = { settings: CommandSettings; topic: string; replyTopic: string };

/** An event with where it is reported. */
export type BoundEvent = { event: DriverEvent; settings: EventSettings; filter: string };

export type BoundDevice = {
  device: DriverDevice;
  settings: DeviceSettings;
  statusTopic: string;
  /** By point id: the point, or why its settings make no sense. */
  points: ReadonlyMap<string, Bound<BoundPoint>>;
  /** By command id, as the points. */
  commands: ReadonlyMap<string, Bound<BoundCommand>>;
  /** Those that are reported anywhere. */
  events: readonly Bound<BoundEvent>[];
};

/** Throws `DriverFailure` for settings of the device that make no sense; those of a point are with the point. */
export function bind(device: DriverDevice): BoundDevice {
  const settings = deviceSettings(device);
  const names = { device: settings.device || device.name };
  const status = settings.statusTopic;
  return {
    device,
    settings,
    statusTopic: status && topicOf('statusTopic', filled(status, names)),
    points: new Map(device.points.map((point) => [point.id, bindPoint(point, settings, names)])),
    commands: new Map(
      (device.commands ?? []).map((command) => [command.id, bindCommand(command, names)]),
    ),
    events: (device.events ?? [])
      .filter(({ configs }) => (configs['topic'] ?? '') !== '')
      .map((event) => bindEvent(event, names)),
  };
}

function bindPoint(
  point: DriverPoint,
  of: DeviceSettings,
  names: { device: string },
): Bound<BoundPoint> {
  return boundBy(() => {
    const settings = pointSettings(point);
    const all = { ...names, point: settings.name || point.name };
    const filter = filterOf('topic', filled(settings.topic || of.topic, all));
    const at = (code: 'writeTopic' | 'replyTopic' | 'readTopic'): string =>
      settings[code] && topicOf(code, filled(settings[code], all));
    const writeTopic = at('writeTopic');
    // A write that comes back from the broker is no report of the device.
    if (writeTopic && point.rw !== 'WRITE_ONLY' && matches(filter, writeTopic))
      throw new DriverFailure(
        'POINT_CONFIG',
        'writeTopic: values come from there, so a write would prove itself',
      );
    return {
      point,
      settings,
      filter,
      valuePath: settings.valuePath ?? of.valuePath ?? [],
      timePath: settings.format === 'json' ? (settings.timePath ?? of.timePath) : null,
      writeTopic,
      replyTopic: at('replyTopic'),
      readTopic: at('readTopic'),
    };
  });
}

const bindCommand = (command: DriverCommand, names: { device: string }): Bound<BoundCommand> =>
  boundBy(() => {
    const settings = commandSettings(command);
    const all = { ...names, command: command.code };
    const { replyTopic } = settings;
    return {
      settings,
      topic: topicOf('topic', filled(settings.topic, all)),
      replyTopic: replyTopic && topicOf('replyTopic', filled(replyTopic, all)),
    };
  });

const bindEvent = (event: DriverEvent, names: { device: string }): Bound<BoundEvent> =>
  boundBy(() => {
    const settings = eventSettings(event);
    const filter = filterOf('topic', filled(settings.topic, { ...names, event: event.code }));
    return { event, settings, filter };
  });

/** A device that sends a point without a request for it. */
export const reportsOnly: NonNullable<Driver['reportsOnly']> = (_device, { configs }) =>
  (configs['readTopic'] ?? '') === '';
