import { z } from 'zod';

import {
  defaultsOf,
  parsedSettings,
  PathSetting,
  SECONDS,
  SecondsSetting,
} from '../../report/settings.ts';
import { attribute } from '../../sdk/attribute.ts';
import type { Attribute, DriverCommand, DriverDevice, DriverPoint } from '../../sdk/driver.ts';

/** docs/specification/http.md, Settings of a device. */
export const driverAttributes = [
  attribute('url', 'STRING', '', 'Where its values are asked for (https://HOST/…), if they are'),
  attribute('header', 'STRING', '', 'Of each request: Authorization: Bearer … or another one', {
    secret: true,
  }),
  attribute(
    'secret',
    'STRING',
    '',
    'Signs what the device pushes: whsec_ and base64 of 24 to 64 random bytes',
    { secret: true },
  ),
  attribute('oldSecret', 'STRING', '', 'Counts beside it while the secret is being changed', {
    secret: true,
  }),
  attribute('gateway', 'STRING', '', 'Name of the device that pushes for this one, if any'),
  attribute('device', 'STRING', '', 'What a push calls this device; empty: its name'),
  attribute(
    'body',
    'STRING',
    'values',
    'What it pushes: {"values":[…]}, or JSON in a form of its own',
    { oneOf: ['values', 'own'] },
  ),
  attribute('itemsPath', 'STRING', '', 'In its own form: where a list is, with a time for each'),
  attribute('devicePath', 'STRING', '$.device', 'In its own form: where the device is named'),
  attribute('timePath', 'STRING', '$.time', 'In its own form: where the time of a value is'),
  attribute(
    'oldestS',
    'INT',
    '2592000',
    'A value that is older by so many seconds is refused',
    SECONDS,
  ),
  attribute('silentS', 'INT', '300', 'Offline after so many seconds without a push', SECONDS),
] as const satisfies readonly Attribute[];

/** docs/specification/http.md, Settings of a device. */
export const pointAttributes = [
  attribute('key', 'STRING', '', 'What a push calls the point; empty: its name'),
  attribute('valuePath', 'STRING', '', 'In a form of its own: where the value is; empty: the key'),
  attribute('trueText', 'STRING', '', 'Of a BOOLEAN: what stands for true, such as ON'),
  attribute('falseText', 'STRING', '', 'Of a BOOLEAN: what stands for false, such as OFF'),
  attribute('url', 'STRING', '', 'Where this value is asked for, if not at the url of the device'),
  attribute('writeUrl', 'STRING', '', 'Where a value to write is sent'),
  attribute('writeMethod', 'STRING', 'PUT', 'How it is sent', { oneOf: ['PUT', 'POST'] }),
  attribute('writeType', 'STRING', 'application/json', 'Content-type of what is sent'),
  attribute('writePayload', 'STRING', '${value}', 'What is sent; ${device} and ${point} are names'),
] as const satisfies readonly Attribute[];

/** docs/specification/http.md, Commands. */
export const commandAttributes = [
  attribute('url', 'STRING', '/${command}', 'Where a call is sent, at the host of the device'),
  attribute('method', 'STRING', 'POST', 'How it is sent', { oneOf: ['POST', 'PUT'] }),
  attribute('type', 'STRING', 'application/json', 'Content-type of what is sent'),
  attribute(
    'payload',
    'STRING',
    '${params}',
    'What is sent: ${params} is an object of all parameters, ${NAME} one of them',
  ),
  attribute('resultPath', 'STRING', '$', 'Where its answer has what it gives back'),
] as const satisfies readonly Attribute[];

const ofDevice = defaultsOf(driverAttributes);
const ofPoint = defaultsOf(pointAttributes);
const ofCommand = defaultsOf(commandAttributes);

/** Standard Webhooks, Signature scheme: base64 of 24 to 64 random bytes, behind `whsec_` or alone. */
const SECRET = /^(?:whsec_)?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const SecretSetting = z.string().transform((text, context): Buffer | null => {
  if (text.trim() === '') return null;
  const key = Buffer.from(SECRET.exec(text.trim())?.[1] ?? '', 'base64');
  if (key.length >= 24 && key.length <= 64) return key;
  context.addIssue({ code: 'custom', message: 'must be whsec_ and base64 of 24 to 64 bytes' });
  return null;
});

/** RFC 9110, 5.1 and 5.5. */
const HEADER = /^([\w!#$%&'*+.^`|~-]+):[ \t]*([\x20-\x7e]*)$/;
/** They are of the connection or of what is sent (RFC 9110, 7.6.1). */
const OWN = new Set(
  'host connection content-length content-type transfer-encoding te trailer upgrade expect'.split(
    ' ',
  ),
);
const HeaderSetting = z.string().transform((text, context): [string, string] | null => {
  if (text.trim() === '') return null;
  const [, name = '', value = ''] = HEADER.exec(text.trim()) ?? [];
  if (name !== '' && !OWN.has(name.toLowerCase())) return [name, value];
  context.addIssue({ code: 'custom', message: 'must be a header like Authorization: Bearer …' });
  return null;
});

const Device = z.object({
  url: z.string(),
  header: HeaderSetting,
  secret: SecretSetting,
  oldSecret: SecretSetting,
  gateway: z.string(),
  device: z.string(),
  body: z.enum(['values', 'own'], 'must be values or own'),
  itemsPath: PathSetting,
  devicePath: PathSetting,
  timePath: PathSetting,
  oldestS: SecondsSetting,
  silentS: SecondsSetting,
});
export type DeviceSettings = z.output<typeof Device>;

const ContentType = z
  .string()
  .regex(/^[\w.+-]+\/[\w.+-]+(; ?[\w=-]+)?$/, 'must be like application/json');

const Command = z.object({
  url: z.string(),
  method: z.enum(['POST', 'PUT'], 'must be POST or PUT'),
  type: ContentType,
  payload: z.string(),
  resultPath: PathSetting,
});
export type CommandSettings = z.output<typeof Command>;

const Point = z.object({
  key: z.string(),
  valuePath: PathSetting,
  trueText: z.string(),
  falseText: z.string(),
  url: z.string(),
  writeUrl: z.string(),
  writeMethod: z.enum(['PUT', 'POST'], 'must be PUT or POST'),
  writeType: ContentType,
  writePayload: z.string(),
});
export type PointSettings = z.output<typeof Point>;

/** Throws `DriverFailure` POINT_CONFIG for what makes no sense. */
export const deviceSettings = ({ configs }: Pick<DriverDevice, 'configs'>): DeviceSettings =>
  parsedSettings(Device, { ...ofDevice, ...configs });
/** As `deviceSettings`. */
export const pointSettings = ({ configs }: Pick<DriverPoint, 'configs'>): PointSettings =>
  parsedSettings(Point, { ...ofPoint, ...configs });
/** As `deviceSettings`. */
export const commandSettings = ({ configs }: Pick<DriverCommand, 'configs'>): CommandSettings =>
  parsedSettings(Command, { ...ofCommand, ...configs });
