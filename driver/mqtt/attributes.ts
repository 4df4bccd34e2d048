import { z } from 'zod';

import {
  defaultsOf,
  parsedSettings,
  PathSetting as Path,
  SECONDS,
  SecondsSetting,
  WordsSetting as Words,
} from '../report/settings.ts';
import { attribute } from '../sdk/attribute.ts';
import type {
  Attribute,
  DriverCommand,
  DriverDevice,
  DriverEvent,
  DriverPoint,
} from '../sdk/driver.ts';
import { BINARY } from './broker/payload.ts';

/** docs/specification/mqtt.md, Settings of a device. */
export const driverAttributes = [
  attribute('url', 'STRING', '', 'Address of the broker: mqtts://HOST:8883 or mqtt://HOST:1883', {
    required: true,
  }),
  attribute('protocol', 'STRING', '5', 'Version of MQTT', { oneOf: ['5', '3.1.1'] }),
  attribute('username', 'STRING', '', 'Login at the broker'),
  attribute('password', 'STRING', '', 'Its password', { secret: true }),
  attribute('ca', 'STRING', '', 'Authority of the broker (PEM), in place of the public ones'),
  attribute('clientCert', 'STRING', '', 'Certificate of the platform at the broker (PEM)'),
  attribute('clientKey', 'STRING', '', 'Its private key (PEM)', { secret: true }),
  attribute('device', 'STRING', '', 'What ${device} stands for; empty: the name of the device'),
  attribute('topic', 'STRING', '${device}/${point}', 'Where points come from, unless they say so'),
  attribute('valuePath', 'STRING', '$', 'Where a message has the value, unless the point says so'),
  attribute(
    'itemsPath',
    'STRING',
    '',
    'Where a message has a list of values, each with its own time',
  ),
  attribute(
    'timePath',
    'STRING',
    '',
    'Where a message has the time of its value; empty: when it comes',
  ),
  attribute('idPath', 'STRING', '', 'Where a message has its id: one that comes again is left out'),
  attribute('qualityPath', 'STRING', '', 'Where a message says how good its value is'),
  attribute('good', 'STRING', 'GOOD,192,true', 'What it says of a good value; all else is bad'),
  attribute(
    'statusTopic',
    'STRING',
    '',
    'Where the device, or its last will, says whether it is there',
  ),
  attribute('statusPath', 'STRING', '$', 'Where such a message says so'),
  attribute('online', 'STRING', 'online', 'What it says while it is there; all else: it is not'),
  attribute(
    'silentS',
    'INT',
    '300',
    'Without a status topic: offline after so many seconds of silence',
    SECONDS,
  ),
  attribute(
    'sharedGroup',
    'STRING',
    '',
    'Group of a shared subscription: all nodes share the values',
  ),
] as const satisfies readonly Attribute[];

/** docs/specification/mqtt.md, Settings of a device. */
export const pointAttributes = [
  attribute('name', 'STRING', '', 'What ${point} stands for; empty: the name of the point'),
  attribute('topic', 'STRING', '', 'Where its values come from; empty: as the device says'),
  attribute('format', 'STRING', 'json', 'What a message is: JSON, text, or a number in bytes', {
    oneOf: ['json', 'text', ...BINARY],
  }),
  attribute('valuePath', 'STRING', '', 'Where a message has the value; empty: as the device says'),
  attribute('timePath', 'STRING', '', 'Where it has the time; empty: as the device says'),
  attribute('offset', 'INT', '0', 'Of a binary value: its first byte', { min: 0, max: 65_535 }),
  attribute('byteOrder', 'STRING', 'big', 'Of a binary value', { oneOf: ['big', 'little'] }),
  attribute('trueText', 'STRING', '', 'Of a BOOLEAN: what stands for true, such as ON'),
  attribute('falseText', 'STRING', '', 'Of a BOOLEAN: what stands for false, such as OFF'),
  attribute('writeTopic', 'STRING', '', 'Where a value to write is sent'),
  attribute('writePayload', 'STRING', '${value}', 'What is sent; ${id} is the id of the command'),
  attribute('replyTopic', 'STRING', '', 'Where the device answers a write'),
  attribute('replyIdPath', 'STRING', '', 'Where its answer has the ${id} of the command'),
  attribute(
    'replyPath',
    'STRING',
    '',
    'Where its answer says whether it did it; empty: any answer',
  ),
  attribute('replyOk', 'STRING', 'true', 'What it says there if it did it'),
  attribute(
    'readTopic',
    'STRING',
    '',
    'Where the device is asked for the value; empty: it is not asked',
  ),
  attribute('readPayload', 'STRING', '', 'What is sent there'),
] as const satisfies readonly Attribute[];

/** docs/specification/mqtt.md, Commands and events. */
export const commandAttributes = [
  attribute('topic', 'STRING', '${device}/${command}', 'Where a call is sent'),
  attribute(
    'payload',
    'STRING',
    '${params}',
    'What is sent: ${params} is an object of all parameters, ${NAME} one of them, ${id} the call',
  ),
  attribute('format', 'STRING', 'json', 'What is sent', { oneOf: ['json', 'text'] }),
  attribute(
    'replyTopic',
    'STRING',
    '${device}/${command}/reply',
    'Where the device answers; empty: it does not',
  ),
  attribute('replyIdPath', 'STRING', '', 'Where its answer has the ${id} of the call'),
  attribute('replyPath', 'STRING', '', 'Where it says whether it did it; empty: any answer'),
  attribute('replyOk', 'STRING', 'true', 'What it says there if it did it'),
  attribute('resultPath', 'STRING', '$', 'Where its answer has what it gives back'),
] as const satisfies readonly Attribute[];

/** docs/specification/mqtt.md, Commands and events. */
export const eventAttributes = [
  attribute('topic', 'STRING', '', 'Where the device reports it; empty: it does not'),
  attribute('codePath', 'STRING', '', 'Where a message says what happened; empty: always this'),
  attribute('codeText', 'STRING', '', 'What it says there; empty: the code of the event'),
  attribute('timePath', 'STRING', '', 'Where it has the time; empty: when it comes'),
  attribute('idPath', 'STRING', '', 'Where it has its id: one that comes again is left out'),
  attribute('paramsPath', 'STRING', '$', 'Where it has what it carries'),
  attribute('messagePath', 'STRING', '', 'Where it has a text for people'),
] as const satisfies readonly Attribute[];

const ofDevice = defaultsOf(driverAttributes);
const ofPoint = defaultsOf(pointAttributes);
const ofCommand = defaultsOf(commandAttributes);
const ofEvent = defaultsOf(eventAttributes);

const Device = z.object({
  protocol: z.enum(['5', '3.1.1'], 'must be 5 or 3.1.1'),
  device: z.string(),
  topic: z.string(),
  valuePath: Path,
  itemsPath: Path,
  timePath: Path,
  idPath: Path,
  qualityPath: Path,
  good: Words,
  statusTopic: z.string(),
  statusPath: Path,
  online: Words,
  silentS: SecondsSetting,
  sharedGroup: z.string().regex(/^[^/+#]*$/, 'must have no /, + or #'),
});
export type DeviceSettings = z.output<typeof Device>;

/** How a device answers. */
const reply = { replyIdPath: Path, replyPath: Path, replyOk: z.string() };
export type ReplySettings = { [K in keyof typeof reply]: z.output<(typeof reply)[K]> };

const Point = z.object({
  name: z.string(),
  topic: z.string(),
  format: z.enum(['json', 'text', ...BINARY], `must be json, text, ${BINARY.join(', ')}`),
  valuePath: Path,
  timePath: Path,
  offset: z.coerce.number().int().min(0).max(65_535),
  byteOrder: z.enum(['big', 'little'], 'must be big or little'),
  trueText: z.string(),
  falseText: z.string(),
  writeTopic: z.string(),
  writePayload: z.string(),
  replyTopic: z.string(),
  ...reply,
  readTopic: z.string(),
  readPayload: z.string(),
});
export type PointSettings = z.output<typeof Point>;

const Command = z.object({
  topic: z.string(),
  payload: z.string(),
  format: z.enum(['json', 'text'], 'must be json or text'),
  replyTopic: z.string(),
  ...reply,
  resultPath: Path,
});
export type CommandSettings = z.output<typeof Command>;

const Event = z.object({
  topic: z.string(),
  codePath: Path,
  codeText: z.string(),
  timePath: Path,
  idPath: Path,
  paramsPath: Path,
  messagePath: Path,
});
export type EventSettings = z.output<typeof Event>;

/** Throws `DriverFailure` POINT_CONFIG for what makes no sense. */
export const deviceSettings = ({ configs }: Pick<DriverDevice, 'configs'>): DeviceSettings =>
  parsedSettings(Device, { ...ofDevice, ...configs });
/** As `deviceSettings`. */
export const pointSettings = ({ configs }: Pick<DriverPoint, 'configs'>): PointSettings =>
  parsedSettings(Point, { ...ofPoint, ...configs });

/** As `deviceSettings`. */
export const commandSettings = ({ configs }: Pick<DriverCommand, 'configs'>): CommandSettings =>
  parsedSettings(Command, { ...ofCommand, ...configs });
/** As `deviceSettings`. */
export const eventSettings = ({ configs }: Pick<DriverEvent, 'configs'>): EventSettings =>
  parsedSettings(Event, { ...ofEvent, ...configs });

/** A setting of the connection to the broker, as text; its default without a config. */
export const settingOf = (
  { configs }: Pick<DriverDevice, 'configs'>,
  code: (typeof driverAttributes)[number]['code'],
): string => configs[code] ?? ofDevice[code] ?? '';
