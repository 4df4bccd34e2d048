import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { routes as agentic } from '../../../src/agentic/routes.ts';
import { routes as alarm } from '../../../src/alarm/routes.ts';
import { routes as auth } from '../../../src/auth/routes.ts';
import { routes as data } from '../../../src/data/routes.ts';
import { routes as manager } from '../../../src/manager/routes.ts';
import { onboard, type Plant } from '../devices/plant.ts';
import { addProvider } from '../neighbours/providers.ts';
import { worker } from '../people/accounts.ts';
import { startWorld, type World } from '../world/app.ts';
import { createRandom, seedFor } from './random.ts';

/** What makes PostgreSQL refuse a statement when nobody looks first. */
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

const baseUrl = 'https://models.example.org/v1';
const ruleExt = { content: { condition: { field: 'calValue', operator: '>', threshold: 1 } } };

// It would end the very login these calls are made with.
const LOGOUTS = ['/token/cancel', '/session/end'];

const rows = [
  ...auth
    .filter(({ path }) => !LOGOUTS.includes(path))
    .map((route) => ({ ...route, center: 'auth' })),
  ...manager.map((route) => ({ ...route, center: 'manager' })),
  ...[...data, ...alarm].map((route) => ({ ...route, center: 'data' })),
  ...agentic.filter(({ file }) => !file).map((route) => ({ ...route, center: 'agentic' })),
].map((route) => ({ ...route, name: `${route.method} /api/v3/${route.center}${route.path}` }));

const Schema = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) });
const fieldsOf = (input: z.ZodType): string[] =>
  Object.keys(
    Schema.parse(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).properties,
  );

/** Sends each field of each route this part of the values that are wrong for it, chosen by the seed. */
export function describeHostileInput(part: number): void {
  describe('hostile input', () => {
    let world: World;
    let plant: Plant;
    let identity: Record<string, string>;
    beforeAll(async () => {
      world = await startWorld();
      plant = await onboard(world.admin);
      const person = await worker(world.admin, []);
      const add = async (noun: string, body: object) =>
        String(await world.admin.data(`/api/v3/auth/${noun}/add`, body));
      const provider = await addProvider(world.admin, { name: 'p1', baseUrl });
      identity = {
        '/tenant/update': world.admin.tenantId,
        '/user_profile/update': person.id,
        '/local_credential/update': person.credential,
        '/role/update': person.role,
        '/resource/update': await add('resource', { resourceName: 'r1' }),
        '/api/update': await add('api', { apiName: 'a1', apiCode: 'a1' }),
        '/menu/update': await add('menu', { menuName: 'm1' }),
        '/rule/update': String(
          await world.admin.data('/api/v3/data/rule/add', {
            ruleName: 'r1',
            alarmTargetTypeFlag: 'POINT',
            ruleExt,
          }),
        ),
        '/provider/config/update': provider,
        '/model/config/update': String(
          await world.admin.data('/api/v3/agentic/model/config/add', {
            model: 'm0',
            providerId: provider,
          }),
        ),
        '/service_account/update': await add('service_account', { serviceAccountName: 's1' }),
      };
    });
    afterAll(() => world?.stop());

    const existing = (path: string): string | undefined =>
      ({
        ...identity,
        '/driver/update': plant.driverId,
        '/profile/update': plant.profileId,
        '/device/update': plant.deviceId,
        '/point/update': plant.temperature,
      })[path];

    /** An answer that is no envelope, read to its end. */
    const table = async (url: string, query: Record<string, string>) => {
      const { headers } = world.admin;
      const response = await fetch(`${world.base}${url}?${new URLSearchParams(query).toString()}`, {
        headers,
      });
      await response.text();
      return response;
    };

    it.each(rows)(
      'is never an internal error at $name',
      async ({ name, method, center, path, input, csv, parquet, download }) => {
        const random = createRandom(seedFor(name));
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
          ruleName: 'r2',
          alarmTargetTypeFlag: 'POINT',
          entityId: plant.temperature,
          ruleExt,
          source: 'point',
          items: [],
          configValue: '1',
          attributeId: '1',
          tenantName: 't1',
          userName: 'u1',
          nickName: 'u1',
          loginName: 'l1',
          roleName: 'r1',
          resourceName: 'r1',
          apiName: 'a1',
          menuName: 'm1',
          serviceAccountName: 's2',
          principalId: '999999',
          roleId: '999999',
          resourceId: '999999',
          connectionId: '999999',
          clientId: 'svc_none',
          name: 'p2',
          baseUrl,
          model: 'm1',
          providerId: identity['/provider/config/update'],
          actionId: '00000000-0000-4000-8000-000000000000',
          conversationId: 'c1',
        };
        const wrong: unknown[] = [];
        for (const field of fieldsOf(input)) {
          for (const value of hostile.filter(() => random.chance(part))) {
            const body = { ...base, [field]: value };
            const { status } =
              csv === 'stream' || parquet || download === true
                ? await table(url, texts(body))
                : method === 'get'
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
      },
    );
  });
}

const texts = (body: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(body).map(([key, value]) => [
      key,
      typeof value === 'string' ? value : JSON.stringify(value),
    ]),
  );
