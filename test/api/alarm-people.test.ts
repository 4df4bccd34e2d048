import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { watched } from '../support/devices/watched.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const ALERT = '/api/v3/data/dashboard/alert';
const Found = z.looseObject({
  alarms: z.array(z.looseObject({ alarmId: z.string(), ruleName: z.string().nullable() })),
  next: z.string().nullable(),
});

const world = startedWorld();

const found = async (session: Session, search: object = {}) =>
  Found.parse(await session.data(`${ALERT}/search`, search));

describe('alarms for people over REST', () => {
  it('are listed by urgency with names, page by page, and found by a part of a name', async () => {
    const mine = await world.tenant('alarm-people');
    for (const [name, severity] of [
      ['pump', 'P3'],
      ['boiler', 'P0'],
      ['tank', 'P1'],
    ] as const)
      await (await watched(world, mine, name, { severity })).measure(81);
    const whole = await found(mine);
    expect(whole).toMatchObject({ counts: { firing: 3 }, next: null });
    expect(whole.alarms.map(({ ruleName }) => ruleName)).toEqual([
      'boiler too hot',
      'tank too hot',
      'pump too hot',
    ]);
    const first = await found(mine, { limit: 2 });
    const second = await found(mine, { limit: 2, after: first.next });
    expect([...first.alarms, ...second.alarms]).toEqual(whole.alarms);
    expect((await found(mine, { query: 'tank' })).alarms).toMatchObject([{ level: 'P1' }]);
    expect((await found(mine, { state: 'CLOSED' })).alarms).toEqual([]);
  });

  it('are explained one by one, with values for those that may read them', async () => {
    const mine = await world.tenant('alarm-report');
    const boiler = await watched(world, mine, 'boiler', { severity: 'P1' });
    await boiler.measure(60, 81);
    const [alarm] = (await found(mine)).alarms;
    const asked = { alarm_id: alarm?.alarmId ?? '' };
    const report = await mine.data(`${ALERT}/report`, undefined, asked);
    expect(report).toMatchObject({
      value: '81 °C',
      condition: '> 80 °C',
      source: 'point',
      timeline: [{ what: 'fired' }],
      receivers: [],
      values: expect.arrayContaining([{ seconds: 0, value: '81' }]),
    });
    const { session } = await worker(mine, ['svc-center-data:dashboard:list']);
    expect(await session.data(`${ALERT}/report`, undefined, asked)).toMatchObject({ values: [] });
    const other = await world.tenant('alarm-other');
    expect((await other.get(`${ALERT}/report`, asked)).status).toBe(404);
    expect((await found(other)).alarms).toEqual([]);
  });
});
