import { namesOf } from './phrases.ts';

/** A tool call of the scripted model; the script continues with the tool's answer. */
export type Wish = { tool: string; arguments: Record<string, unknown> };

/** Yields its tool calls, gets each answer as parsed JSON, returns the text of the answer. */
export type Script = Generator<Wish, string, unknown>;

/** Input of a script besides its tools' answers: like a model, only the content of the request. */
export type Scene = {
  text: string;
  system: string;
  tools: ReadonlySet<string>;
  /** Attachments of the question, as parsed JSON. */
  attachments: unknown;
};

type Device = { deviceId: string; deviceName: string; record: unknown };
export type Target = Omit<Device, 'record'> & { pointId: string; pointName: string };

/** Finds device and point by the names the user gave; a string is the reason of a failure. */
export function* findPoint(
  device: string,
  point: string,
): Generator<Wish, Target | string, unknown> {
  const named = yield* findDevice(device);
  if (typeof named === 'string') return named;
  const { deviceId, deviceName } = named;
  const points = yield* search('searchPoints', { deviceId }, point, POINT_KEYS);
  if (typeof points === 'string') return points;
  const { found: foundPoint, seen } = points;
  if (!foundPoint) {
    const names = seen.slice(0, 10).map((item) => field(item, 'pointName'));
    return `${deviceName} has no point named "${point}"${names.length > 0 ? `; it has ${names.join(', ')}` : ''}.`;
  }
  const pointId = field(foundPoint, 'pointId', 'id');
  return { deviceId, deviceName, pointId, pointName: field(foundPoint, 'pointName') || point };
}

/** Finds a device by the name the user gave; a string is the reason of a failure. */
export function* findDevice(device: string): Generator<Wish, Device | string, unknown> {
  const devices = yield* search('searchDevices', { deviceName: device }, device, DEVICE_KEYS);
  if (typeof devices === 'string') return devices;
  if (!devices.found) return `I cannot find a device named "${device}".`;
  const deviceId = field(devices.found, 'deviceId', 'id');
  return {
    deviceId,
    deviceName: field(devices.found, 'deviceName') || device,
    record: devices.found,
  };
}

const DEVICE_KEYS = ['deviceName', 'deviceCode'];
const POINT_KEYS = ['pointName', 'pointCode'];
const PAGE = 20;
/** Two searches of this many pages, one call and the answer fit into the loop's eight rounds. */
const MAX_PAGES = 3;

/**
 * Pages through the search for the record of this name: equal in letters and digits, or in another
 * word for the same quantity, else the only one that contains it. A string is the reason of a failure.
 */
function* search(
  tool: string,
  filters: Record<string, unknown>,
  name: string,
  keys: readonly string[],
): Generator<Wish, string | { found: unknown; seen: readonly unknown[] }, unknown> {
  const wanted = namesOf(name).map(letters);
  const seen: unknown[] = [];
  const having = (test: (text: string) => boolean) =>
    seen.filter((item) => keys.some((key) => test(letters(field(item, key)))));
  let cursor = '';
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const paging = { limit: PAGE, ...(cursor ? { cursor } : {}) };
    const answer = yield { tool, arguments: { ...filters, ...paging } };
    const problem = fail(answer);
    if (problem) return problem;
    seen.push(...list(answer, 'records'));
    const [exact] = having((text) => wanted.includes(text));
    if (exact) return { found: exact, seen };
    cursor = field(answer, 'nextCursor');
    if (!cursor) break;
  }
  const similar = having((text) => wanted.some((one) => one !== '' && text.includes(one)));
  return { found: similar.length === 1 ? similar[0] : undefined, seen };
}

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** Failure text of a tool's answer, or null. */
export function fail(answer: unknown): string | null {
  const text = field(answer, 'error');
  return text ? `That did not work: ${text.replace(/\.$/, '')}.` : null;
}

/** Value of the first key with a non-empty text, a number or a boolean; '' when there is none. */
export function field(item: unknown, ...keys: readonly string[]): string {
  if (typeof item !== 'object' || item === null) return '';
  const entries = new Map<string, unknown>(Object.entries(item));
  for (const key of keys) {
    const value = entries.get(key);
    if (typeof value === 'string' && value !== '') return value;
    if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  }
  return '';
}

export function list(item: unknown, ...keys: readonly string[]): readonly unknown[] {
  for (const key of keys) {
    const value = part(item, key);
    if (Array.isArray(value)) return value;
  }
  return [];
}

/** The value under `key`; undefined when `item` is not an object. */
export const part = (item: unknown, key: string): unknown =>
  typeof item === 'object' && item !== null
    ? new Map<string, unknown>(Object.entries(item)).get(key)
    : undefined;

export function valueText(item: unknown): string {
  if (typeof item === 'string' || typeof item === 'number') return String(item);
  const value = field(item, 'value', 'calValue', 'responseValue');
  const unit = field(item, 'unit');
  return value === '' ? 'not known yet' : `${value}${unit ? ` ${unit}` : ''}`;
}
