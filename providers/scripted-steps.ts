import type { Wish } from './scripted.ts';

export type Target = { deviceId: string; deviceName: string; pointId: string; pointName: string };

/** Finds device and point by the words of the user; a string says why that did not work. */
export function* findPoint(
  device: string,
  point: string,
): Generator<Wish, Target | string, unknown> {
  const devices = yield { tool: 'searchDevices', arguments: { deviceName: device } };
  const problem = fail(devices);
  if (problem) return problem;
  const foundDevice = pick(list(devices, 'records'), device, ['deviceName', 'deviceCode']);
  if (!foundDevice) return `I cannot find a device named "${device}".`;
  const deviceId = told(foundDevice, 'deviceId', 'id');
  const deviceName = told(foundDevice, 'deviceName') || device;

  const points = yield { tool: 'searchPoints', arguments: { deviceId } };
  const trouble = fail(points);
  if (trouble) return trouble;
  const candidates = list(points, 'records');
  const foundPoint = pick(candidates, point, ['pointName', 'pointCode']);
  if (!foundPoint) {
    const names = candidates.slice(0, 10).map((item) => told(item, 'pointName'));
    return `${deviceName} has no point named "${point}"${names.length > 0 ? `; it has ${names.join(', ')}` : ''}.`;
  }
  const pointId = told(foundPoint, 'pointId', 'id');
  return { deviceId, deviceName, pointId, pointName: told(foundPoint, 'pointName') || point };
}

/** The record whose name is meant: the same letters and digits first, else the only similar one. */
function pick(records: readonly unknown[], name: string, keys: readonly string[]): unknown {
  const wanted = letters(name);
  const has = (test: (text: string) => boolean) =>
    records.filter((item) => keys.some((key) => test(letters(told(item, key)))));
  const exact = has((text) => text === wanted);
  if (exact.length > 0) return exact[0];
  const similar = wanted ? has((text) => text.includes(wanted)) : [];
  return similar.length === 1 ? similar[0] : undefined;
}

const letters = (text: string): string => text.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');

/** What went wrong according to a tool's answer, or null. */
export function fail(answer: unknown): string | null {
  const text = told(answer, 'error');
  return text ? `That did not work: ${text}` : null;
}

/** The first of these keys that holds text or a number. */
export function told(item: unknown, ...keys: readonly string[]): string {
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

/** What an object holds under `key`, if it is one. */
export const part = (item: unknown, key: string): unknown =>
  typeof item === 'object' && item !== null
    ? new Map<string, unknown>(Object.entries(item)).get(key)
    : undefined;

export function valueText(item: unknown): string {
  if (typeof item === 'string' || typeof item === 'number') return String(item);
  const value = told(item, 'value', 'calValue', 'responseValue');
  const unit = told(item, 'unit');
  return value === '' ? 'not known yet' : `${value}${unit ? ` ${unit}` : ''}`;
}
