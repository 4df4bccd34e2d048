import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { kpiIn } from '../../src/alarm/dashboard/performance/kpi.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { clockAtNow } from '../support/dashboard/plant.ts';
import { raised } from '../support/dashboard/raised.ts';
import { watched } from '../support/devices/watched.ts';
import { worker } from '../support/people/accounts.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';

const KPI = '/api/v3/data/dashboard/alert/kpi';
const DAY = 1_440;
const Worst = z.object({ worst: z.object({ at: z.string() }) });

const world = startedWorld({ clock: clockAtNow() });
const kpi = (session: Session, days: string): Promise<unknown> =>
  session.data(KPI, undefined, { days });
const places = async (session: Session) => {
  const [boiler, pump] = [
    await watched(world, session, 'boiler'),
    await watched(world, session, 'pump'),
  ];
  const of = ({ ruleId, site }: typeof boiler) => ({ ruleId, deviceId: site.deviceId });
  return { boiler: of(boiler), pump: of(pump) };
};
const each = (count: number, from: number): number[] =>
  Array.from({ length: count }, (_, n) => from + n / 10);

describe('the performance of alarms', () => {
  it('has their rate, floods, worst ten minutes and time to a confirmation', async () => {
    const mine = await world.tenant('rates');
    const { boiler, pump } = await places(mine);
    // 15 and 5 in two periods one after the other, and 4 alone.
    await raised(world, mine, boiler, each(15, 101));
    await raised(world, mine, { ...pump, confirmedAfter: 3 }, each(5, 91));
    await raised(world, mine, { ...pump, confirmedAfter: 12 }, [600, 602, 604, 606]);
    await raised(world, mine, boiler, [3 * DAY]);
    expect(await kpi(mine, '1')).toMatchObject({
      raised: 24,
      perTenMinutes: 24 / 144,
      rating: 'ACCEPTABLE',
      worst: { count: 15 },
      floods: 1,
      floodShare: 2 / 144,
      acknowledged: { count: 9, meanMs: ((5 * 3 + 4 * 12) / 9) * 60_000 },
    });
    const { worst } = Worst.parse(await kpi(mine, '1'));
    expect(Math.round((world.clock.now() - Date.parse(worst.at)) / 60_000)).toBe(110);
    expect(await kpi(mine, '7')).toMatchObject({ raised: 25, floodShare: 2 / 1_008 });
  });

  it('names the most frequent rules, and those that chatter at a place', async () => {
    const mine = await world.tenant('frequent');
    const { boiler, pump } = await places(mine);
    await raised(world, mine, boiler, [...each(3, 11), ...each(4, 31), ...each(2, 51)]);
    await raised(world, mine, { ...boiler, deviceId: pump.deviceId }, each(2, 11));
    await raised(world, mine, pump, [100, 200]);
    await raised(world, mine, { ...pump, ruleId: '0' }, [300]);
    await raised(world, mine, { ...pump, ruleId: '99' }, [400]);
    const rule = { ruleId: boiler.ruleId, ruleName: 'boiler too hot' };
    expect(await kpi(mine, '30')).toMatchObject({
      topRules: [
        { ...rule, count: 11, share: 11 / 15 },
        { ruleId: pump.ruleId, ruleName: 'pump too hot', count: 2, share: 2 / 15 },
        { ruleId: '0', ruleName: null, count: 1 },
        { ruleId: '99', ruleName: null, count: 1 },
      ],
      topShare: 1,
      chattering: [{ ...rule, deviceId: boiler.deviceId, periods: 2, most: 4 }],
    });
  });

  it('counts the stale alarms, whenever they were raised, and names the oldest', async () => {
    const mine = await world.tenant('stale');
    const { boiler, pump } = await places(mine);
    await raised(world, mine, { ...boiler, fires: true }, [60 * DAY, DAY + 1, DAY - 1]);
    await raised(world, mine, pump, [2 * DAY]);
    await raised(
      world,
      mine,
      { ...pump, fires: true },
      Array.from({ length: 12 }, (_, n) => (n + 2) * DAY),
    );
    expect(await kpi(mine, '1')).toMatchObject({
      raised: 1,
      stale: {
        count: 14,
        oldest: [
          { ruleId: boiler.ruleId, ruleName: 'boiler too hot', deviceId: boiler.deviceId },
          ...Array.from({ length: 9 }, () => ({ ruleId: pump.ruleId })),
        ],
      },
    });
  });

  it('is of one tenant, of 30 days at most, and empty where nothing was raised', async () => {
    const [mine, other] = [await world.tenant('own'), await world.tenant('other')];
    const { boiler } = await places(mine);
    await raised(world, mine, { ...boiler, fires: true }, [10, 20, 29 * DAY, 31 * DAY]);
    expect(await kpi(mine, '90')).toMatchObject({ raised: 3 });
    expect(await kpi(other, '30')).toMatchObject({
      raised: 0,
      perTenMinutes: 0,
      worst: { count: 0, at: null },
      floodShare: 0,
      chattering: [],
      stale: { count: 0, oldest: [] },
      acknowledged: { count: 0, meanMs: null },
      topRules: [],
      topShare: 0,
    });
  });

  it('looks at the newest alarms alone where there are too many, and says since when', async () => {
    const mine = await world.tenant('many');
    const { boiler } = await places(mine);
    await raised(world, mine, boiler, [98, 1, 35, 2, 200]);
    const { tenantId } = mine;
    const until = world.clock.now();
    const span = { tenantId, since: until - 10 * DAY * 60_000, until, most: 3 };
    const {
      since,
      raised: count,
      perTenMinutes,
    } = await inTenant(world.app.db, tenantId, (q) => kpiIn(q, span));
    expect(Math.round((until - Date.parse(since)) / 60_000)).toBe(98);
    expect([count, perTenMinutes]).toEqual([3, 3 / 10]);
  });

  it('is refused without the right to the figures', async () => {
    const mine = await world.tenant('righted');
    const { session } = await worker(mine, ['svc-center-data:rule:list']);
    expect((await session.get(KPI, { days: '1' })).status).toBe(403);
  });
});
