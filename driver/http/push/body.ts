import { AppError, BadRequest } from '../../../src/kernel/errors.ts';
import { at, type JsonPath, membersOf, textOf } from '../../report/json.ts';
import { type BoundDevice, type BoundPoint } from '../device/binding.ts';
import type { Devices } from '../device/devices.ts';

/** Values, and items of a list, in one body. */
const MAX_VALUES = 1_000;
const MAX_NAME = 60;

type Code =
  | 'VALUE_SHAPE'
  | 'DEVICE_UNKNOWN'
  | 'DEVICE_DISABLED'
  | 'POINT_UNKNOWN'
  | 'POINT_WRITE_ONLY'
  | 'VALUE_BAD'
  | 'TIME_INVALID'
  | 'TIME_FUTURE'
  | 'TIME_TOO_OLD'
  | 'TIME_MISSING';

/** A value that is not as it should be: where it is in the body, and why, as code and text. */
export type Remark = { at: string; code: Code; message: string };

/** A value for a point, as the body has it; `time` and `quality` are undefined where it has none. */
export type Candidate = {
  at: string;
  target: BoundDevice;
  bound: BoundPoint;
  part: unknown;
  time: unknown;
  quality: unknown;
};

type Found = { candidates: Candidate[]; refused: Remark[] };

/** The values in a pushed body, for points of the sender and of the devices that it pushes for. Throws BadRequest (400) and AppError (413). */
export function candidatesIn(whole: unknown, sender: BoundDevice, devices: Devices): Found {
  const found: Found = { candidates: [], refused: [] };
  if (sender.settings.body === 'own') fromOwnForm(whole, { sender, devices, found });
  else
    for (const [index, entry] of valuesOf(whole).entries())
      fromEntry(entry, `values[${index}]`, { sender, devices, found });
  if (found.candidates.length > MAX_VALUES) throw tooMany('values');
  return found;
}

type Parts = { sender: BoundDevice; devices: Devices; found: Found };

function valuesOf(whole: unknown): unknown[] {
  const other = membersOf(whole)?.find((name) => name !== 'values');
  if (other !== undefined)
    throw new BadRequest(`The body must be {"values":[…]}; ${named(other)} is not known`);
  const values = at(whole, ['values']);
  if (!Array.isArray(values)) throw new BadRequest('The body must be {"values":[…]}');
  if (values.length > MAX_VALUES) throw tooMany('values');
  return values;
}

const MEMBERS = new Set(['device', 'point', 'value', 'time', 'quality']);

function fromEntry(entry: unknown, place: string, { sender, devices, found }: Parts): void {
  const refuse = (code: Code, message: string): void =>
    void found.refused.push({ at: place, code, message });
  const members = membersOf(entry);
  const other = members?.find((name) => !MEMBERS.has(name));
  if (other !== undefined) return refuse('VALUE_SHAPE', `${named(other)} is not known`);
  const [device, point] = [at(entry, ['device']), at(entry, ['point'])];
  if (!members || typeof point !== 'string' || !members.includes('value'))
    return refuse('VALUE_SHAPE', 'it must have a point and a value');
  const target = targetOf(device, { sender, devices });
  if ('code' in target) return refuse(target.code, target.message);
  const points = target.byKey.get(point) ?? [];
  if (points.length === 0) return refuse('POINT_UNKNOWN', `there is no point ${named(point)}`);
  const readable = points.filter(isReadable);
  if (readable.length === 0) return refuse('POINT_WRITE_ONLY', 'the point is only written');
  const [part, time] = [at(entry, ['value']), at(entry, ['time'])];
  const quality = at(entry, ['quality']);
  for (const bound of readable)
    found.candidates.push({ at: place, target, bound, part, time, quality });
  return undefined;
}

function fromOwnForm(whole: unknown, { sender, devices, found }: Parts): void {
  const { itemsPath, devicePath, timePath } = sender.settings;
  const listed = itemsPath ? at(whole, itemsPath) : [whole];
  if (!Array.isArray(listed)) throw new BadRequest('The body has no list at itemsPath');
  if (listed.length > MAX_VALUES) throw tooMany('items');
  for (const [index, item] of listed.entries()) {
    const place = itemsPath ? `items[${index}]` : '$';
    const refuse = (code: Code, message: string): void =>
      void found.refused.push({ at: place, code, message });
    const target = targetOf(partOf(devicePath, item, whole), { sender, devices });
    if ('code' in target) {
      refuse(target.code, target.message);
      continue;
    }
    const time = partOf(timePath, item, whole);
    const before = found.candidates.length;
    for (const bound of [...target.byKey.values()].flat().filter(isReadable)) {
      const part = at(item, bound.valuePath);
      if (part !== undefined)
        found.candidates.push({ at: place, target, bound, part, time, quality: undefined });
    }
    if (found.candidates.length === before)
      refuse('POINT_UNKNOWN', 'nothing in it is a point of the device');
    if (found.candidates.length > MAX_VALUES) throw tooMany('values');
  }
}

const isReadable = ({ point }: BoundPoint): boolean => point.rw !== 'WRITE_ONLY';

const partOf = (path: JsonPath | null, item: unknown, whole: unknown): unknown =>
  path ? (at(item, path) ?? at(whole, path)) : undefined;

/** The device that a value is of: the sender where none is named. */
function targetOf(
  name: unknown,
  { sender, devices }: Pick<Parts, 'sender' | 'devices'>,
): BoundDevice | { code: Code; message: string } {
  if (name === undefined) return sender;
  const key = textOf(name);
  const [target, other] = key === null ? [] : devices.namedBy(sender, key);
  if (!target)
    return { code: 'DEVICE_UNKNOWN', message: 'the sender pushes for no device of that name' };
  if (other) return { code: 'DEVICE_UNKNOWN', message: 'several devices have that name' };
  if (!target.device.enabled) return { code: 'DEVICE_DISABLED', message: 'the device is disabled' };
  return target;
}

const named = (name: string): string => JSON.stringify(name.slice(0, MAX_NAME));

const tooMany = (what: string): AppError =>
  new AppError(413, 'R413', `The body has more than ${MAX_VALUES} ${what}`);
