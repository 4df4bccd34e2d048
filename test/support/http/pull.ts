import type { ServerResponse } from 'node:http';

import { expect, onTestFinished } from 'vitest';

import type { DriverDevice } from '../../../driver/sdk/driver.ts';
import { driverDevice } from '../devices/driver-center.ts';
import { until } from '../world/until.ts';
import { type HttpBench, openHttpBench } from './bench.ts';
import { type HttpField, startHttpField } from './field.ts';

export type Configs = Record<string, string>;

export async function openField(): Promise<HttpField> {
  const field = await startHttpField();
  onTestFinished(() => field.stop().catch(() => {}));
  return field;
}

export type Case = { field: HttpField; device: DriverDevice; bench: HttpBench };

/** A device that is asked, and has answered. */
export async function openPull(
  configs: Configs = {},
  {
    setPoint = {},
    rw = 'READ_WRITE',
    points = [],
    commands = [],
    allow,
    isThere = true,
  }: {
    setPoint?: Configs;
    rw?: 'READ_WRITE' | 'WRITE_ONLY';
    points?: Parameters<typeof driverDevice>[1];
    commands?: NonNullable<DriverDevice['commands']>;
    allow?: string[];
    isThere?: boolean;
  } = {},
): Promise<Case> {
  const field = await openField();
  const device = driverDevice({ url: field.url, ...configs }, [
    { id: '1', code: 'temperature' },
    { id: '2', code: 'setPoint', rw, configs: { writeUrl: '/set-point', ...setPoint } },
    ...points,
  ]);
  Object.assign(device, { commands });
  const bench = await openHttpBench([device], { allow: allow ?? [field.hostPort] });
  onTestFinished(() => bench.stop());
  if (isThere) await until(() => expect(bench.status(device).status).toBe('ONLINE'));
  return { field, device, bench };
}

/** An answer with this status. */
export const status =
  (code: number, headers: Record<string, string> = {}, body = '') =>
  (response: ServerResponse): boolean => {
    response.writeHead(code, headers).end(body);
    return true;
  };
