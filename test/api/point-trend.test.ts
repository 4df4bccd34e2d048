import { describe, expect, it } from 'vitest';
import { z } from 'zod';

import { onboard } from '../support/devices/plant.ts';
import { worker } from '../support/people/accounts.ts';
import { prepared, startedWorld } from '../support/world/prepared.ts';
import { seeded } from '../support/world/seeded.ts';
import { onboard as onboardSite } from '../tools/agent.ts';

const VALUE = '/api/v3/data/point_value';
const START = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;

const Part = z.strictObject({
  firstAt: z.number(),
  lastAt: z.number(),
  count: z.number(),
  min: z.number(),
  max: z.number(),
  mean: z.number(),
});
const Trend = z.strictObject({
  from: z.iso.datetime(),
  to: z.iso.datetime(),
  series: z.array(z.looseObject({ unit: z.string(), gapMs: z.number(), parts: z.array(Part) })),
});

describe('a trend of points', () => {
  const world = startedWorld();
  const mine = prepared(() => world.tenant('trend'));
  const plant = prepared(() => onboard(mine));

  const ask = (more: object = {}, session = mine) =>
    session.post(`${VALUE}/trend`, {
      pairs: [{ deviceId: plant.deviceId, pointId: plant.temperature }],
      from: new Date(START).toISOString(),
      to: new Date(START + HOUR_MS).toISOString(),
      ...more,
    });
  const trend = async (more: object = {}) => {
    const { body } = await ask(more);
    const found = Trend.parse(body.data);
    const [first] = found.series;
    if (!first) throw new Error('there is no series');
    return { ...found, ...first };
  };
  const keep = (
    pointId: string,
    values: readonly (readonly [number, number])[],
    deviceId = plant.deviceId,
  ) =>
    mine.data(`${VALUE}/import`, {
      values: values.map(([at, value]) => ({
        deviceId,
        pointId,
        value,
        createTime: new Date(START + at).toISOString(),
      })),
    });

  it('has every value in one part of the time, with the extremes and the mean of the part', async () => {
    const next = seeded(7);
    const values = Array.from(
      { length: 400 },
      (_, index) => [index * 9_000, Math.round(next() * 1_000) / 10] as const,
    );
    await keep(plant.temperature, values);
    const { parts, unit } = await trend({ parts: 60 });
    expect(unit).toBe('°C');
    const expected = Array.from({ length: 60 }, (_, part) => {
      const inside = values.filter(([at]) => Math.floor(at / 60_000) === part);
      const numbers = inside.map(([, value]) => value);
      return {
        firstAt: START + (inside[0]?.[0] ?? 0),
        lastAt: START + (inside.at(-1)?.[0] ?? 0),
        count: inside.length,
        min: Math.min(...numbers),
        max: Math.max(...numbers),
        mean: expect.closeTo(numbers.reduce((sum, value) => sum + value, 0) / inside.length, 6),
      };
    });
    expect(parts).toEqual(expected);
  });

  it('has no part where there was no value, and says from which distance on that is a gap', async () => {
    const { deviceId, pointId } = await onboardSite(mine, 'gap');
    await keep(
      pointId,
      [
        [0, 10],
        [60_000, 11],
        [1_800_000, 12],
      ],
      deviceId,
    );
    const pairs = [{ deviceId, pointId }];
    const { parts, gapMs } = await trend({ pairs, parts: 60 });
    expect(parts.map(({ firstAt }) => firstAt - START)).toEqual([0, 60_000, 1_800_000]);
    // Three times the 30 s of a driver that declares nothing, or two parts: whichever is longer.
    expect(gapMs).toBe(120_000);
    expect((await trend({ pairs, parts: 2_000 })).gapMs).toBe(90_000);
  });

  it('keeps the order of the points, and leaves a point without values empty', async () => {
    await keep(plant.target, [[0, 10]]);
    const { series } = await trend({
      pairs: [
        { deviceId: plant.deviceId, pointId: plant.target },
        { deviceId: plant.deviceId, pointId: plant.temperature },
      ],
      from: new Date(START - HOUR_MS).toISOString(),
      to: new Date(START).toISOString(),
    });
    expect(series.map(({ pointName }) => pointName)).toEqual(['target', 'temperature']);
    expect(series.map(({ parts }) => parts.length)).toEqual([1, 1]);
    const earlier = new Date(START - 1).toISOString();
    const from = new Date(START - HOUR_MS).toISOString();
    expect((await trend({ from, to: earlier })).parts).toEqual([]);
  });

  it('has as many points as a list of devices shows, in the order in which they are asked for', async () => {
    const pairs = Array.from({ length: 200 }, (_, index) => ({
      deviceId: plant.deviceId,
      pointId: index % 2 === 0 ? plant.temperature : plant.target,
    }));
    const { series } = await trend({ pairs, parts: 40 });
    expect(series.map((each) => each['pointId'])).toEqual(pairs.map(({ pointId }) => pointId));
  });

  it('refuses a time without a length, one of years, and too many points or parts', async () => {
    const pair = { deviceId: plant.deviceId, pointId: plant.target };
    for (const wrong of [
      { to: new Date(START).toISOString() },
      { from: '2020-01-01T00:00:00Z' },
      { pairs: [] },
      { pairs: Array.from({ length: 201 }, () => pair), parts: 10 },
      { pairs: [pair, pair, pair, pair, pair], parts: 1_601 },
      { parts: 2_001 },
      { parts: 0 },
    ])
      expect((await ask(wrong)).status, JSON.stringify(wrong)).toBe(400);
  });

  it('takes the right to list values, and finds no device of another tenant', async () => {
    const other = await world.tenant('trend-other');
    expect((await ask({}, other)).status).toBe(404);
    const { session } = await worker(mine, ['svc-center-manager:device:list']);
    expect((await ask({}, session)).status).toBe(403);
  });
});
