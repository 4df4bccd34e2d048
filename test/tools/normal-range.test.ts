import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { DATA } from '../support/devices/notify.ts';
import { watched } from '../support/devices/watched.ts';
import type { Session } from '../support/people/session.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, report, type Site, toolNamed } from './agent.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const ZONE = 'Asia/Kathmandu';
/** Of Kathmandu, which is 5:45 ahead. */
const AHEAD_MS = 5.75 * HOUR_MS;
const AT_ONCE = 500;

const world = startedWorld();

/** A value of each quarter of an hour of the last days, the newest an hour old. */
async function past(
  session: Session,
  { deviceId, pointId }: Pick<Site, 'deviceId' | 'pointId'>,
  days: number,
  valueAt: (time: number, index: number) => number,
): Promise<void> {
  const end = world.app.clock.now() - HOUR_MS;
  const values = Array.from({ length: days * 96 + 1 }, (_, index) => {
    const time = end - index * 15 * MINUTE_MS;
    const value = String(valueAt(time, index));
    return { deviceId, pointId, value, createTime: new Date(time).toISOString() };
  });
  for (let start = 0; start < values.length; start += AT_ONCE)
    await session.data(`${DATA}/point_value/import`, {
      values: values.slice(start, start + AT_ONCE),
    });
}

const latest = (session: Session, { deviceId, pointId }: Site) =>
  toolNamed('getLatestPointValue').run(
    world.app,
    { ...agentIn(session), timezone: ZONE },
    { deviceId, pointId },
  );

const hourThere = (time: number): number => Math.floor(((time + AHEAD_MS) % DAY_MS) / HOUR_MS);

describe('the normal range of a point', () => {
  it('is that of 90 % of the last 30 days, beside the value and without outliers', async () => {
    const site = await onboard(world.admin, 'steady');
    await past(world.admin, site, 20, (_time, index) =>
      index % 30 === 0 ? 500 : 10 + (index % 11),
    );
    await report(world, world.admin, site, [25]);
    const found = await latest(world.admin, site);
    expect(found).toMatchObject({ value: '25', normal: { low: 10, high: 20, days: 20 } });
    expect(found).not.toHaveProperty('normal.hour');
  });

  it('is that of this hour of the day at the plant, where the hours differ', async () => {
    const site = await onboard(world.admin, 'daily');
    const hour = hourThere(world.app.clock.now());
    await past(world.admin, site, 10, (time) =>
      hourThere(time) === hour ? 3 : hourThere(time) * 10,
    );
    await report(world, world.admin, site, [4]);
    const two = (one: number) => String(one % 24).padStart(2, '0');
    expect(await latest(world.admin, site)).toMatchObject({
      normal: { low: 3, high: 3, days: 10, hour: `${two(hour)}:00-${two(hour + 1)}:00` },
    });
  });

  it('is not known of few days, of a counter and of another tenant', async () => {
    const young = await onboard(world.admin, 'young');
    await past(world.admin, young, 2, () => 7);
    await report(world, world.admin, young, [8]);
    const few = await latest(world.admin, young);
    expect(few).toMatchObject({ value: '8' });
    expect(few).not.toHaveProperty('normal');
    const other = await world.tenant('normal-other');
    await expect(latest(other, young)).rejects.toThrow('does not exist');
    const device = await onboard(world.admin, 'meter');
    const meter = {
      pointName: 'energy',
      pointTypeFlag: 'DOUBLE',
      rwFlag: 'READ_ONLY',
      unit: 'kWh',
    };
    const pointId = z.string().parse(
      await world.admin.data('/api/v3/manager/point/add', {
        ...meter,
        profileId: device.profileId,
      }),
    );
    const site = { ...device, pointId };
    await past(world.admin, site, 5, (time) => Math.round(time / HOUR_MS) - 400_000);
    await report(world, world.admin, site, [500_000]);
    const counter = await latest(world.admin, site);
    expect(counter).toMatchObject({ value: '500000' });
    expect(counter).not.toHaveProperty('normal');
  });

  it('explains an alarm: it is of the days before it fired', async () => {
    const { site, measure } = await watched(world, world.admin, 'boiler', { unit: '°C' });
    await past(world.admin, site, 8, (_time, index) => 60 + (index % 5));
    await measure(85);
    const caller = agentIn(world.admin);
    const { records } = await toolNamed('searchAlarms').run(world.app, caller, {});
    const [alarm] = z.array(z.object({ alarmId: z.string() })).parse(records);
    expect(
      await toolNamed('lookupAlarmById').run(world.app, caller, { alarmId: alarm?.alarmId }),
    ).toMatchObject({ value: '85 °C', normal: { low: 60, high: 64, days: 8 } });
  });
});
