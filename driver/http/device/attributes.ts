import { z } from 'zod';

import {
  attribute,
  defaultsOf,
  parsedSettings,
  PathSetting,
  SecondsSetting,
} from '../../report/settings.ts';
import type { Attribute, DriverDevice, DriverPoint } from '../../sdk/driver.ts';

/** docs/specification/http.md, Settings of a device. */
export const driverAttributes = [
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
  attribute('oldestS', 'INT', '2592000', 'A value that is older by so many seconds is refused'),
  attribute('silentS', 'INT', '300', 'Offline after so many seconds without a push'),
] as const satisfies readonly Attribute[];

/** docs/specification/http.md, Settings of a device. */
export const pointAttributes = [
  attribute('key', 'STRING', '', 'What a push calls the point; empty: its name'),
  attribute('valuePath', 'STRING', '', 'In a form of its own: where the value is; empty: the key'),
  attribute('trueText', 'STRING', '', 'Of a BOOLEAN: what stands for true, such as ON'),
  attribute('falseText', 'STRING', '', 'Of a BOOLEAN: what stands for false, such as OFF'),
] as const satisfies readonly Attribute[];

const ofDevice = defaultsOf(driverAttributes);
const ofPoint = defaultsOf(pointAttributes);

/** Standard Webhooks, Signature scheme: base64 of 24 to 64 random bytes, behind `whsec_` or alone. */
const SECRET = /^(?:whsec_)?((?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?)$/;
const SecretSetting = z.string().transform((text, context): Buffer | null => {
  if (text.trim() === '') return null;
  const key = Buffer.from(SECRET.exec(text.trim())?.[1] ?? '', 'base64');
  if (key.length >= 24 && key.length <= 64) return key;
  context.addIssue({ code: 'custom', message: 'must be whsec_ and base64 of 24 to 64 bytes' });
  return null;
});

const Device = z.object({
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

const Point = z.object({
  key: z.string(),
  valuePath: PathSetting,
  trueText: z.string(),
  falseText: z.string(),
});
export type PointSettings = z.output<typeof Point>;

/** Throws `DriverFailure` POINT_CONFIG for what makes no sense. */
export const deviceSettings = ({ configs }: Pick<DriverDevice, 'configs'>): DeviceSettings =>
  parsedSettings(Device, { ...ofDevice, ...configs });
/** As `deviceSettings`. */
export const pointSettings = ({ configs }: Pick<DriverPoint, 'configs'>): PointSettings =>
  parsedSettings(Point, { ...ofPoint, ...configs });
