import { onTestFinished } from 'vitest';

import type { DriverDevice } from '../../../driver/sdk/driver.ts';
import { driverDevice } from '../devices/driver-center.ts';
import { type HttpBench, openHttpBench, secretOf } from './bench.ts';

export const points = [
  { id: '1', code: 'temperature' },
  {
    id: '2',
    code: 'open',
    type: 'BOOLEAN',
    configs: { key: 'door', trueText: 'OPEN', falseText: 'SHUT' },
  },
  { id: '3', code: 'reset', rw: 'WRITE_ONLY' },
  { id: '4', code: 'count', type: 'LONG' },
] as const;

export const device = (configs: Record<string, string> = {}, id = '1'): DriverDevice =>
  driverDevice({ secret: secretOf(1), ...configs }, points, id);
/** A child of `device 1`. */
export const child = (id: string, configs: Record<string, string> = {}): DriverDevice =>
  driverDevice({ gateway: 'device 1', ...configs }, points, id);

export async function open(
  devices: readonly DriverDevice[] = [device()],
  options: Parameters<typeof openHttpBench>[1] = {},
): Promise<HttpBench> {
  const bench = await openHttpBench(devices, options);
  onTestFinished(() => bench.stop());
  return bench;
}

/** A body with one value. */
export const one = (value: unknown, more: object = {}) => ({
  values: [{ point: 'temperature', value, ...more }],
});
