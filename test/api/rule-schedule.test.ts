import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';

import { evaluate } from '../../src/alarm/rule/evaluate.ts';
import { createSilenceScan } from '../../src/alarm/watch/no-data.ts';
import { addTo } from '../support/devices/notify.ts';
import { onboardQuiet, type Plant } from '../support/devices/plant.ts';
import type { Session } from '../support/people/session.ts';
import { AnyRecords } from '../support/people/shapes.ts';
import { fresh } from '../support/world/fresh-name.ts';
import { startedWorld } from '../support/world/prepared.ts';

const DATA = '/api/v3/data';
const MINUTE = 60_000;
const FIRING = 1;
const RECOVERED = 2;
const hot = { field: 'value', operator: '>', threshold: 90 };

const world = startedWorld();

describe('a rule with hours', () => {
  let session: Session;
  let plant: Plant;
  beforeEach(async () => {
    session = await world.tenant(fresh('hours'));
    plant = await onboardQuiet(world, session);
  });

  const rule = (content: object): Promise<string> =>
    addTo(session, 'rule', {
      ruleName: fresh('rule'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content },
    });
  const flagOf = async (ruleId: string) =>
    AnyRecords.parse(await session.data(`${DATA}/rule/state/list`, { ruleId })).records[0]?.[
      'entityStateFlag'
    ];
  const measure = (value: number) => {
    const { deviceId, driverId, temperature: pointId } = plant;
    return evaluate(world.app, session.tenantId, 'POINT', [
      { entityId: pointId, deviceId, driverId, pointId, values: { value }, at: world.clock.now() },
    ]);
  };
  let begun: number;
  /** Goes on to so many minutes after the beginning of the test. */
  const until = (minutes: number): void =>
    world.clock.shift(begun + minutes * MINUTE - world.clock.now());
  const clock = (minutes: number): string =>
    new Date(begun + minutes * MINUTE).toISOString().slice(11, 16);
  /** From the twentieth minute to the fortieth, over midnight where that lies between. */
  let shift: object;
  beforeEach(() => {
    begun = world.clock.now();
    shift = { timezone: 'UTC', start: clock(20), end: clock(40) };
  });

  it('matches within them alone: what comes outside does not, and ends its alarm', async () => {
    const ruleId = await rule({ condition: hot, schedule: [shift] });
    until(15);
    await measure(99);
    expect(await flagOf(ruleId)).toBeUndefined();
    until(25);
    await measure(99);
    expect(await flagOf(ruleId)).toBe(FIRING);
    until(35);
    await measure(99);
    expect(await flagOf(ruleId)).toBe(FIRING);
    until(45);
    await measure(99);
    expect(await flagOf(ruleId)).toBe(RECOVERED);
  });

  it('with a recovery of its own goes on until that, whenever it comes', async () => {
    const recovery = { operator: '<', threshold: 70 };
    const ruleId = await rule({ condition: hot, recovery, schedule: [shift] });
    until(25);
    await measure(99);
    until(45);
    await measure(99);
    expect(await flagOf(ruleId)).toBe(FIRING);
    until(50);
    await measure(60);
    expect(await flagOf(ruleId)).toBe(RECOVERED);
  });

  it('begins no silence outside of them', async () => {
    const condition = { operator: 'nodata' };
    const content = { condition, window: { duration: 'PT10M' }, schedule: [shift] };
    const ruleId = await rule(content);
    until(15);
    await createSilenceScan(world.app)([]);
    expect(await flagOf(ruleId)).toBeUndefined();
    until(25);
    await createSilenceScan(world.app)([]);
    expect(await flagOf(ruleId)).toBe(FIRING);
  });

  it('has them in the time zone of the plant, unless they name another', async () => {
    const hours = { start: '08:00', end: '16:00', daysOfWeek: ['MONDAY', 2] };
    const ruleId = await rule({ condition: hot, schedule: [hours, shift] });
    const Windows = z.array(z.looseObject({ timezone: z.string() }));
    const stored = z
      .object({ ruleExt: z.object({ content: z.object({ schedule: Windows }) }) })
      .parse(await session.data(`${DATA}/rule/get_by_id`, undefined, { id: ruleId }));
    const timezone = stored.ruleExt.content.schedule[0]?.timezone;
    expect(timezone).not.toBe('');
    expect(stored.ruleExt.content.schedule).toEqual([
      { ...hours, daysOfWeek: [1, 2], timezone },
      { ...shift, daysOfWeek: [] },
    ]);
  });

  it('is previewed as it is evaluated', async () => {
    const content = { condition: hot, schedule: [shift] };
    const ruleId = await rule(content);
    const from = new Date(world.clock.now()).toISOString();
    const { deviceId, driverId, temperature: pointId } = plant;
    let seq = 0;
    for (const [minutes, value] of [
      [10, 99],
      [22, 99],
      [25, 50],
      [30, 99],
      [35, 98],
      [45, 99],
    ] as const) {
      until(minutes);
      const said = { rawValue: String(value), calValue: String(value), numValue: value };
      const values = [
        {
          deviceId,
          pointId,
          ...said,
          quality: 0 as const,
          originTime: world.clock.now(),
          seq: ++seq,
        },
      ];
      const batch = {
        tenantId: session.tenantId,
        driverId,
        driverCode: 'VirtualDriver',
        node: 'test',
        values,
      };
      await world.bus.handled('svc.e.value', batch, 'VirtualDriver');
    }
    const Episodes = z.object({
      episodes: z.array(z.object({ from: z.string(), to: z.string().nullable() })),
    });
    const known = ({ episodes }: z.output<typeof Episodes>) =>
      episodes.map((one) => [one.from, one.to]);
    const asked = { pointId, deviceId, ruleId, from, ruleExt: { content } };
    const answer = Episodes.extend({ stored: Episodes }).parse(
      await session.data(`${DATA}/rule/preview`, asked),
    );
    expect(known(answer)).toHaveLength(2);
    expect(known(answer)).toEqual(known(answer.stored));
  });

  it.each([
    [[], 'ruleExt.content.schedule'],
    [[{ start: '8', end: '16:00' }], 'must be a time of day'],
    [[{ start: '08:00', end: '16:00', timezone: 'Mars' }], 'must be an IANA time zone'],
    [[{ start: '08:00', end: '16:00', days: [1] }], '“days” is not known'],
  ])('is refused, 400, for hours that are none: %j', async (schedule, why) => {
    const { status, body } = await session.post(`${DATA}/rule/add`, {
      ruleName: fresh('rule'),
      alarmTargetTypeFlag: 'POINT',
      entityId: plant.temperature,
      ruleExt: { content: { condition: hot, schedule } },
    });
    expect(status).toBe(400);
    expect(body.message).toContain(why);
  });
});
