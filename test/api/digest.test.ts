import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';

import { digests } from '../../src/data/digest/digests.ts';
import { MAX_VALUES } from '../../src/data/digest/stored.ts';
import { inTenant } from '../../src/db/tenant.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { agentIn, onboard, type Site } from '../tools/agent.ts';

const world = startedWorld();

/** Stores what the expressions say of `n`, 0 to `count` - 1; times in ms after `from`. */
const store = (
  { deviceId, pointId, driverId }: Site,
  from: number,
  count: number,
  { after, value, where = 'true' }: { after: string; value: string; where?: string },
) => {
  const { tenantId } = world.admin;
  return inTenant(world.app.db, tenantId, (q) =>
    sql`insert into svc_point_value (tenant_id, device_id, point_id, driver_id, create_time, raw_value,
        cal_value, num_value, receive_time)
      select ${tenantId}, ${deviceId}, ${pointId}, ${driverId}, at, value, value, value::float8, at
      from (select ${new Date(from)}::timestamptz + make_interval(secs => (${sql.raw(after)}) / 1000.0) as at,
        (${sql.raw(value)})::text as value
        from generate_series(0, ${count - 1}::int) as n where ${sql.raw(where)}) as planted`.execute(
      q,
    ),
  );
};

const digestOf = async ({ deviceId, pointId }: Site, from: number, to: number, compare = false) => {
  const asked = { pairs: [{ deviceId, pointId }], from, to, compare, samples: 10 };
  const [digest] = await digests(world.app, agentIn(world.admin), asked);
  if (!digest?.numbers) throw new Error('no digest');
  return { ...digest, numbers: digest.numbers };
};

describe('a digest of stored values', () => {
  it('reads them to the millisecond, with what came before for comparison', async () => {
    const site = await onboard(world.admin, 'measured');
    const from = world.clock.now() - 3_600_000;
    // Every 10 s for an hour: 20.0, 20.1, … 20.9 again and again; 91 once, nothing from 1000 s to 1600 s.
    const value = 'case n when 200 then 91 else 20 + (n % 10) / 10.0 end';
    const where = 'n not between 100 and 159';
    await store(site, from, 360, { after: 'n * 10000 + 7', value, where });
    await store(site, from - 3_600_000, 360, { after: 'n * 10000', value: '18' });
    const { count, gaps, numbers, change, samples } = await digestOf(
      site,
      from,
      from + 3_600_000,
      true,
    );
    expect(count).toBe(300);
    expect(gaps).toEqual({ longest: [{ from: from + 990_007, s: 610 }], count: 1, totalS: 610 });
    expect(numbers.max).toEqual({ time: from + 2_000_007, value: 91 });
    expect(numbers.spikes).toMatchObject([{ time: from + 2_000_007, peak: 91, s: 10 }]);
    expect(numbers.changes).toEqual([]);
    expect(change?.max).toBe(73);
    expect(change?.min).toBe(2);
    // What it was at ten moments of the same distance, of which two are in the gap; not its extremes.
    expect(samples).toHaveLength(9);
    expect(samples.map((sample) => sample.value)).not.toContain(91);
    expect(samples[0]?.time).toBe(from + 7);
  });

  it('reads as many as it can in their order', async () => {
    const site = await onboard(world.admin, 'rising');
    const from = world.clock.now() - 3_600_000;
    const last = 8_999;
    await store(site, from, last + 1, { after: 'n * 400', value: 'n / 10.0' });
    const digest = await digestOf(site, from, from + 3_600_000);
    const { min, max, p50, slopePerHour, changes } = digest.numbers;
    expect(digest.count).toBe(last + 1);
    expect(digest.first).toEqual({ time: from, value: 0 });
    expect(digest.last).toMatchObject({ time: from + last * 400, value: last / 10 });
    expect([min, max]).toEqual([digest.first, { time: from + last * 400, value: last / 10 }]);
    expect(p50).toBeCloseTo(last / 20);
    expect(slopePerHour).toBeCloseTo(900, 0);
    expect(changes).toEqual([]);
    const times = digest.samples.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  });

  it('keeps extremes, gaps and changes of more values than it reads', async () => {
    const site = await onboard(world.admin, 'fast');
    const count = MAX_VALUES + 20_000;
    const spanMs = count * 100;
    const from = world.clock.now() - spanMs - 1_000;
    const value = `20 + (n % 7) / 10.0 + case when n > 60000 then 5 else 0 end
      + case n when 30000 then 50 else 0 end`;
    const where = 'n not between 90000 and 92999';
    await store(site, from, count, { after: 'n * 100', value, where });
    const digest = await digestOf(site, from, from + spanMs);
    const { numbers, gaps } = digest;
    expect(digest.count).toBe(count - 3_000);
    expect(numbers.max).toEqual({ time: from + 3_000_000, value: 70.5 });
    expect(gaps.longest).toEqual([{ from: from + 8_999_900, s: 300.1 }]);
    expect(digest).toMatchObject({ expected: count, coverage: 0.975 });
    expect(numbers.spikes).toMatchObject([{ time: from + 3_000_000 }]);
    const [change, ...others] = numbers.changes;
    expect(others).toEqual([]);
    expect(change).toMatchObject({ kind: 'step' });
    expect(Math.abs((change?.time ?? 0) - from - 6_000_000)).toBeLessThanOrEqual(spanMs / 24);
    expect(numbers.mean).toBeCloseTo(20.3 + (5 * 57) / 117, 1);
  });

  it.each([
    ['a value each minute', { after: 'n * 60000', where: 'true' }, { count: 120, expected: 120 }],
    ['half of them', { after: 'n * 60000', where: 'n < 60' }, { count: 60, expected: 120 }],
    [
      'at times of their own',
      { after: 'n * n * 500', where: 'true' },
      { count: 120, expected: 240 },
    ],
    [
      'as read, some lost',
      { after: 'n * 30000', where: 'n % 9 > 0' },
      { count: 106, expected: 240 },
    ],
    [
      'as read, a little late',
      { after: 'n * 30000 + (n % 2) * 900', where: 'true' },
      { count: 120, expected: 240 },
    ],
  ])(
    'expects %s by the pace of the series, if it has one, or by the schedule',
    async (what, given, told) => {
      const site = await onboard(world.admin, what.replaceAll(/\W/g, '-'));
      const from = world.clock.now() - 7_200_000;
      await store(site, from, 120, { ...given, value: 'n % 7' });
      const digest = await digestOf(site, from, from + 7_200_000);
      expect(digest).toMatchObject({ ...told, coverage: told.count / told.expected });
    },
  );

  it('refuses a window that is empty or too long', async () => {
    const site = await onboard(world.admin, 'refused');
    const now = world.clock.now();
    await expect(digestOf(site, now, now)).rejects.toThrow('The window is empty');
    await expect(digestOf(site, now - 32 * 86_400_000, now)).rejects.toThrow('31 days');
  });
});
