import { at, type JsonPath, parseJson, spelled, textOf } from '../report/json.ts';
import { timeOf } from '../report/time.ts';
import type { Reading } from '../sdk/driver.ts';
import type { DeviceSettings } from './attributes.ts';
import type { BoundPoint } from './binding.ts';
import type { Message } from './broker/connection.ts';
import { binaryText } from './broker/payload.ts';

/** Values in one message; the rest is left out. */
const MAX_ITEMS = 1_000;
const NO_JSON = 'the message is no JSON';

export type PointReading = { bound: BoundPoint; reading: Reading; isTimed: boolean };

/** What a message says: values, its own id, and how many of a stored message were left out for lack of a time. */
export type MessageValues = { readings: PointReading[]; id: string | null; leftOut: number };

/**
 * The values of points in a message. One that the broker had stored has no value without a time in it: nothing says
 * when it was sent. A point that the message does not mention has none either.
 */
export function readingsOf(
  { payload, isRetained }: Pick<Message, 'payload' | 'isRetained'>,
  points: readonly BoundPoint[],
  { settings, now }: { settings: DeviceSettings; now: number },
): MessageValues {
  const isJson = points.some(({ settings: { format } }) => format === 'json');
  const whole = isJson || settings.idPath ? parseJson(payload.toString()) : undefined;
  const listed = settings.itemsPath ? at(whole, settings.itemsPath) : undefined;
  const items: unknown[] = Array.isArray(listed) ? listed.slice(0, MAX_ITEMS) : [whole];
  const id = settings.idPath && textOf(at(whole, settings.idPath));
  const found: MessageValues = { readings: [], id, leftOut: 0 };
  for (const bound of points) {
    const own = bound.settings.format === 'json' ? items : [undefined];
    for (const item of own) {
      const value = valueIn(bound, { item, whole, payload }, settings);
      if (value === null) continue;
      const time = timeIn(bound, item, whole);
      if (isRetained && typeof time !== 'number') found.leftOut += 1;
      else found.readings.push({ bound, ...timed(value, { time, now, id }) });
    }
  }
  return found;
}

type Value = { rawValue: string; issue?: string };

const bad = (issue: string): Value => ({ rawValue: '', issue });

/** Null: the message says nothing of the point. */
function valueIn(
  { settings, valuePath }: BoundPoint,
  { item, whole, payload }: { item: unknown; whole: unknown; payload: Buffer },
  device: DeviceSettings,
): Value | null {
  const { format } = settings;
  if (format === 'text') return { rawValue: spelled(payload.toString(), settings) };
  if (format !== 'json') {
    const text = binaryText(payload, { ...settings, format });
    return text === null ? bad(`the message holds no ${format} there`) : { rawValue: text };
  }
  if (whole === undefined) return bad(NO_JSON);
  const part = at(item, valuePath);
  if (part === undefined) return null;
  const quality = device.qualityPath && firstOf(device.qualityPath, item, whole);
  if (quality !== null && !device.good.has((quality ?? '').toLowerCase()))
    return bad(
      quality === undefined ? 'the message has no quality' : `the device calls it ${quality}`,
    );
  const text = textOf(part);
  return text === null
    ? bad('the message holds no single value there')
    : { rawValue: spelled(text, settings) };
}

/** Text at a path of the item, else of the whole message; undefined where neither has one. */
function firstOf(path: JsonPath, item: unknown, whole: unknown): string | undefined {
  return textOf(at(item, path)) ?? textOf(at(whole, path)) ?? undefined;
}

/** In milliseconds; null for a message that should have a time and has none; undefined where none is expected. */
function timeIn(
  { timePath }: BoundPoint,
  item: unknown,
  whole: unknown,
): number | null | undefined {
  if (!timePath) return undefined;
  const text = firstOf(timePath, item, whole);
  return text === undefined ? null : timeOf(text);
}

function timed(
  { rawValue, issue }: Value,
  { time, now, id }: { time: number | null | undefined; now: number; id: string | null },
): { reading: Reading; isTimed: boolean } {
  const problem = issue ?? (time === null ? 'the message has no time that can be read' : undefined);
  const key = `${id ?? ''}|${rawValue}|${problem ?? ''}`;
  const reading = { rawValue, originTime: time ?? now, id: key };
  return {
    reading:
      problem === undefined ? reading : { ...reading, rawValue: '', invalid: true, issue: problem },
    isTimed: typeof time === 'number',
  };
}
