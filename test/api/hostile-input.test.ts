import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { routes as data } from '../../src/data/routes.ts';
import { routes as manager } from '../../src/manager/routes.ts';
import { startWorld, type World } from '../support/app.ts';
import { onboard, type Plant } from '../support/plant.ts';

/** What makes PostgreSQL refuse a statement when nobody looks first (notes: S09). */
const hostile: unknown[] = [
  'a\0b',
  '\ud800',
  '\\',
  '%_\\',
  "' or 1=1 --",
  '9223372036854775808',
  '-1',
  1.5,
  1e308,
  -0,
  2 ** 53,
  null,
  true,
  '',
  [],
  ['1', '2'],
  {},
  { a: '\0' },
  '2026-99-99',
  '+275760-09-13T00:00:00Z',
  'x'.repeat(5_000),
  { current: 1e15, size: 1e15 },
  { current: 0, size: -1 },
];

const rows = [
  ...manager.map((route) => ({ ...route, center: 'manager' })),
  ...data.map((route) => ({ ...route, center: 'data' })),
].map((route) => ({ ...route, name: `${route.method} /api/v3/${route.center}${route.path}` }));

const Schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) });
const fieldsOf = (input: z.ZodType): string[] =>
  Object.keys(
    Schema.parse(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).properties,
  );

describe('hostile input', () => {
  let world: World;
  let plant: Plant;
  beforeAll(async () => {
    world = await startWorld();
    plant = await onboard(world.admin);
  });
  afterAll(() => world?.stop());

  const existing = (path: string): string | undefined =>
    ({
      '/driver/update': plant.driverId,
      '/profile/update': plant.profileId,
      '/device/update': plant.deviceId,
      '/point/update': plant.temperature,
    })[path];

  it.each(rows)('is never an internal error at $name', async ({ method, center, path, input }) => {
    const url = `/api/v3/${center}${path}`;
    const base: Record<string, unknown> = {
      ...plant,
      id: path.endsWith('/update') ? (existing(path) ?? '999999') : '999999',
      pointId: plant.target,
      pointTypeFlag: 'DOUBLE',
      value: '20',
      driverName: 'd1',
      serviceName: 's1',
      profileName: 'p1',
      deviceName: 'n1',
      pointName: 'q1',
      commandName: 'c1',
      eventName: 'e1',
      configValue: '1',
      attributeId: '1',
    };
    const wrong: unknown[] = [];
    for (const field of fieldsOf(input)) {
      for (const value of hostile) {
        const body = { ...base, [field]: value };
        const { status } =
          method === 'get'
            ? await world.admin.get(url, texts(body))
            : await world.admin.post(url, body);
        if (status >= 500) wrong.push({ field, value, status });
      }
    }
    if (path.endsWith('_ids') || path === '/point/unit')
      for (const value of hostile) {
        const { status } = await world.admin.post(url, [value]);
        if (status >= 500) wrong.push({ value, status });
      }
    expect(wrong).toEqual([]);
  });
});

const texts = (body: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
