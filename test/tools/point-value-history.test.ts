import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { prepared, startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, onboardVirtual, report, type Site, toolNamed } from './agent.ts';

const Answer = z.object({
  from: z.string(),
  to: z.string(),
  series: z.array(z.looseObject({ deviceName: z.string() })),
  nextCursor: z.string().optional(),
  cut: z.string().optional(),
});

const world = startedWorld();
const site = prepared(() => onboard(world.admin, 'site'));
const other = prepared(() => onboard(world.admin, 'other'));

const run = (input: object, zone?: string) => {
  const agent = agentIn(world.admin);
  const caller = zone === undefined ? agent : { ...agent, timezone: zone };
  return toolNamed('getPointValueHistory').run(world.app, caller, input);
};
const only = (answer: object) => Answer.parse(answer).series[0];
const ask = async (input: object, zone?: string) => Answer.parse(await run(input, zone));
const idOf = ({ deviceId, pointId }: Site) => `${deviceId}/${pointId}`;

describe('getPointValueHistory of several points', () => {
  it('digests each, in the order asked, with times in the zone of the plant', async () => {
    await report(world, world.admin, site, [10, 20, 30, 12], 60_000);
    await report(world, world.admin, other, [7], 60_000);
    const { series, ...window } = await ask(
      { points: [idOf(other), 'set-point of SITE device'], hours: 1 },
      'Asia/Kathmandu',
    );
    expect(window.from).toMatch(/\+05:45$/);
    expect(series).toMatchObject([
      { deviceName: 'other device', unit: '°C', count: 1, last: { value: 7, stale: false } },
      {
        deviceName: 'site device',
        count: 4,
        expected: 6,
        coverage: 0.667,
        min: 10,
        max: 30,
        mean: 20,
      },
    ]);
    expect(series[1]?.['maxAt']).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\+05:45$/);
    // No empty fields.
    expect(JSON.stringify(series)).not.toMatch(/null|\[\]|""/);
  });

  it('takes a window by from, to and hours; local times are of the plant', async () => {
    const local = { points: [idOf(site)], from: '2026-03-01T01:00', hours: 2 };
    expect(await ask(local, 'Asia/Kathmandu')).toMatchObject({
      from: '2026-03-01T01:00:00+05:45',
      to: '2026-03-01T03:00:00+05:45',
      series: [{ count: 0, expected: 0, firstValue: expect.any(String) }],
    });
    const utc = { points: [idOf(site)], from: '2026-02-28T19:15:00Z', to: '2026-03-01' };
    await expect(ask(utc, 'Asia/Kathmandu')).rejects.toThrow('The window is empty');
  });

  it('ends now where it was asked for up to a later time', async () => {
    const now = new Date(world.app.clock.now());
    const from = new Date(now.getTime() - 3_600_000).toISOString();
    const { to, ...cut } = await ask({ points: [idOf(site)], from, to: '2999-01-01' });
    expect(Date.parse(to)).toBeLessThanOrEqual(world.app.clock.now());
    expect(cut).toMatchObject({ cut: expect.stringContaining('ends now') });
    expect(await ask({ points: [idOf(site)], from, to: 'now' })).not.toHaveProperty('cut');
    const ahead = { points: [idOf(site)], from: '2999-01-01', to: '2999-01-02' };
    await expect(run(ahead, 'Asia/Kathmandu')).rejects.toThrow(/before now, which is .*\+05:45/);
  });

  it('says since when there are values, and misses none before', async () => {
    const young = await onboard(world.admin, 'young');
    await report(world, world.admin, young, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12], 600_000);
    const asked = { points: [idOf(young)], hours: 48 };
    expect(only(await run(asked))).toMatchObject({ count: 12, firstValue: expect.any(String) });
    expect(only(await run(asked))).not.toHaveProperty('gaps');
    const before = only(await run({ points: [idOf(young)], from: '2020-01-01', hours: 24 }));
    expect(before).toMatchObject({ count: 0, expected: 0, firstValue: expect.any(String) });
    expect(before).not.toHaveProperty('gaps');
    expect(only(await run({ points: [idOf(young)], hours: 1 }))).not.toHaveProperty('firstValue');
  });

  it('takes the pace of a short window from the values before it', async () => {
    const quarter = await onboard(world.admin, 'quarter');
    await report(world, world.admin, quarter, [1, 2, 3, 4, 5, 6, 7, 8], 900_000);
    const [of] = (await ask({ points: [idOf(quarter)], hours: 0.5 })).series;
    expect(of).toMatchObject({ expected: 2, coverage: 1 });
    expect(of).not.toHaveProperty('gaps');
  });

  it('says of the last value of a past window when it was, not that it is old', async () => {
    const mine = await world.tenant('past');
    const device = await onboardVirtual(world, 'past', mine);
    const at = world.clock.now();
    world.clock.shift(6 * 3_600_000);
    const of = (input: object) =>
      toolNamed('getPointValueHistory').run(world.app, agentIn(mine), {
        from: new Date(at - 600_000).toISOString(),
        to: new Date(at + 600_000).toISOString(),
        ...input,
      });
    const { series } = Answer.parse(await of({ points: [idOf(device)] }));
    expect(series[0]?.['last']).toEqual({ value: 20, time: expect.stringMatching(/^\d{4}-.+Z$/) });
    const { deviceId, pointId } = device;
    const { last } = z
      .looseObject({ last: z.looseObject({}) })
      .parse(await of({ deviceId, pointId }));
    expect(Object.keys(last).toSorted()).toEqual(['time', 'value']);
    const { series: now } = Answer.parse(await of({ points: [idOf(device)], to: 'now' }));
    expect(now[0]?.['last']).toMatchObject({ value: 20, ageS: expect.any(Number) });
  });

  it.each([
    [{ points: [] }, /points/],
    [{ points: ['boiler'] }, /boiler/],
    [{}, /Give points/],
    [{ points: ['1/1'], from: 'noon' }, /must be a time such as/],
    [{ points: ['1/1'], from: '2026-01-01', to: '2026-03-01' }, /31 days/],
    [{ points: ['1/1'], from: '2026-01-01', to: '2026-01-02', hours: 3 }, /two of/],
    [{ points: ['1/1'], maxTokens: 99 }, /maxTokens/],
  ])('refuses %j', async (input, why) => {
    await expect(run(input)).rejects.toThrow(why);
  });

  it('tells the difference to the period before', async () => {
    const compared = await onboard(world.admin, 'compared');
    await report(world, world.admin, compared, [10, 10, 10], 60_000);
    world.clock.shift(3_600_000);
    await report(world, world.admin, compared, [12, 15, 12], 60_000);
    const { series } = await ask({ points: [idOf(compared)], hours: 1, compare: true });
    expect(series).toMatchObject([{ comparedToBefore: { mean: 3, min: 2, max: 5 } }]);
  });

  it('tells shares and switches of a point with texts', async () => {
    const { admin } = world;
    const pointId = z.string().parse(
      await admin.data('/api/v3/manager/point/add', {
        pointName: 'mode',
        pointTypeFlag: 'STRING',
        rwFlag: 'READ_ONLY',
        profileId: site.profileId,
      }),
    );
    await reportTexts({ ...site, pointId }, ['auto', 'auto', 'hand\u200b', 'auto']);
    const { series } = await ask({ points: [`${site.deviceId}/${pointId}`], hours: 1, rows: 5 });
    expect(series).toMatchObject([
      {
        count: 4,
        first: { value: 'auto' },
        last: { value: 'auto' },
        shares: [
          { value: 'auto', share: 0.667 },
          { value: 'hand', share: 0.333 },
        ],
        switches: 2,
        samples: [{ value: 'auto' }, { value: 'hand' }, { value: 'auto' }],
      },
    ]);
  });

  it('stays within 300 tokens a series, and within the tokens asked for; a cursor leads on', async () => {
    const noisy = await onboard(world.admin, 'noisy');
    const value = (index: number): number => {
      if (index % 173 === 50) return 95;
      return index > 300 && index < 380
        ? 21
        : 20 + ((index * 7919) % 13) / 100 + (index > 500 ? 4 : 0);
    };
    const values = Array.from({ length: 1000 }, (_, index) => value(index));
    await report(world, world.admin, noisy, values, 40_000);
    const points = Array.from({ length: 10 }, () => idOf(noisy));
    const seen: unknown[] = [];
    let cursor: string | undefined;
    do {
      const input = {
        points,
        compare: true,
        maxTokens: 1000,
        ...(cursor !== undefined && { cursor }),
      };
      const answer = await ask(input);
      expect(countTokens(JSON.stringify(answer))).toBeLessThanOrEqual(1050);
      for (const one of answer.series)
        expect(countTokens(JSON.stringify(one))).toBeLessThanOrEqual(300);
      seen.push(...answer.series);
      cursor = answer.nextCursor;
    } while (cursor !== undefined);
    expect(seen).toHaveLength(10);
    expect(seen[0]).toMatchObject({
      flatLines: expect.any(Array),
      spikes: expect.any(Array),
      changes: [{ kind: 'step' }],
    });
  });
});

async function reportTexts({ deviceId, pointId, driverId, driverCode }: Site, texts: string[]) {
  const now = world.app.clock.now();
  const { tenantId } = world.admin;
  const values = texts.map((text, index) => ({
    deviceId,
    pointId,
    rawValue: text,
    calValue: text,
    numValue: null,
    originTime: now - (texts.length - 1 - index) * 600_000,
    seq: 0,
    quality: 0 as const,
  }));
  const batch = { tenantId, driverId, driverCode, node: 'test', values };
  await world.bus.handled('svc.e.value', batch, tenantId);
}

describe('getPointValueHistory of a counter', () => {
  const HOUR = 3_600_000;
  const Counted = z.object({
    series: z.array(
      z.looseObject({
        every: z.array(z.looseObject({ from: z.string(), increase: z.number().optional() })),
        increase: z.number().optional(),
        resets: z.array(z.object({ at: z.string(), from: z.number() })).optional(),
      }),
    ),
  });

  async function meterNamed(name: string) {
    const meter = await onboard(world.admin, name);
    const change = { id: meter.pointId, unit: 'kWh', minValue: null, maxValue: null };
    await world.admin.data('/api/v3/manager/point/update', change);
    return meter;
  }

  it.each([0, 6, 40])(
    'has no level, spike, step or drift of its reset %i values ago, without parts',
    async (since) => {
      const meter = await meterNamed(`meter-${since}`);
      const values = Array.from({ length: 96 }, (_, at) =>
        at < 95 - since ? 130_000 + 2 * at + (at % 2) : 2 * (at - 95 + since) + (at % 2),
      );
      await report(world, world.admin, meter, values, HOUR / 2);
      const series = only(await run({ points: [idOf(meter)], hours: 48 }));
      expect(series).toMatchObject({ resets: [{ from: values[94 - since] }] });
      for (const name of ['spikes', 'changes', 'mean', 'p50'])
        expect(series).not.toHaveProperty(name);
      expect(series?.['slopePerHour']).toBeCloseTo(4, 0);
    },
  );

  it('says by how much it rose each day of the plant, a reset included', async () => {
    const meter = await meterNamed('meter');
    // Two kWh every half an hour for two days and a half, replaced by a new meter a day ago.
    const values = Array.from({ length: 120 }, (_, index) =>
      index < 72 ? 1_000 + 2 * index : 2 * (index - 71),
    );
    await report(world, world.admin, meter, values, HOUR / 2);
    const now = world.app.clock.now();
    const zone = 'Asia/Kolkata';
    const today = Temporal.Instant.fromEpochMilliseconds(now).toZonedDateTimeISO(zone).startOfDay();
    const from = today.subtract({ days: 1 });
    const asked = { points: [idOf(meter)], from: from.toInstant().toString(), every: '1d' };
    const [series] = Counted.parse(await run(asked, zone)).series;
    const times = values.map((_, index) => now - (values.length - 1 - index) * (HOUR / 2));
    const rose = (begin: number, end: number) =>
      2 * times.filter((at) => at >= begin && at < end).length;
    expect(series?.every).toEqual([
      {
        from: expect.stringContaining('T00:00+05:30'),
        increase: rose(from.epochMilliseconds, today.epochMilliseconds),
      },
      {
        from: expect.stringContaining('T00:00+05:30'),
        increase: rose(today.epochMilliseconds, now + 1),
      },
    ]);
    expect(series?.increase).toBe(rose(from.epochMilliseconds, now + 1));
    const resets = times[72] ?? 0;
    expect(series?.resets).toEqual(
      resets >= from.epochMilliseconds ? [{ at: expect.any(String), from: 1_142 }] : undefined,
    );
  });

  it('has the level of parts of anything else', async () => {
    await report(world, world.admin, site, [10, 20, 30, 12], 60_000);
    const [series] = Counted.parse(
      await run({ points: [idOf(site)], hours: 3, every: '1h' }),
    ).series;
    expect(series?.every.at(-1)).toMatchObject({ count: expect.any(Number), max: 30 });
    expect(series?.increase).toBeUndefined();
    await expect(run({ points: [idOf(site)], hours: 100, every: '1h' })).rejects.toThrow(
      'At most 62 parts',
    );
  });
});
