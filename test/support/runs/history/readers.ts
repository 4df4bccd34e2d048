import { sql } from 'kysely';

import { valuesAround } from '../../../../src/alarm/explain/around.ts';
import { badBefore, readingsBefore } from '../../../../src/alarm/explain/readings.ts';
import { oldestOf } from '../../../../src/alarm/rule/replay/oldest.ts';
import type { Arrived } from '../../../../src/alarm/rule/replay/replay.ts';
import { storedFacts } from '../../../../src/alarm/rule/replay/stored-facts.ts';
import { activity, latency, series, today, top } from '../../../../src/data/dashboard/counted.ts';
import { digests } from '../../../../src/data/digest/digests.ts';
import { trend } from '../../../../src/data/digest/trend.ts';
import { readingsSince } from '../../../../src/data/result/readings.ts';
import { exportHistory } from '../../../../src/data/value/history-export.ts';
import { history } from '../../../../src/data/value/history.ts';
import { inOneTrip, inTenant } from '../../../../src/db/tenant.ts';
import type { Caller } from '../../../../src/kernel/app/app.ts';
import type { World } from '../../world/app.ts';
import { kinds, type Site } from './values.ts';

const HOUR = 3_600_000;

export type Looked = { from: number; to: number; alarms: readonly string[] };

/** What every reader of stored values answers; the clock has to be held. */
export async function answersOf({ app }: World, caller: Caller, site: Site, at: Looked) {
  const { tenantId } = site;
  const pairs = site.devices.flatMap((deviceId) =>
    kinds.map((kind) => ({ deviceId, pointId: site.points[kind], kind })),
  );
  const found: Record<string, unknown> = {};
  for (const { kind, ...pair } of pairs) {
    const name = `${pair.deviceId}/${kind}`;
    found[`pages of ${name}`] = await pages(app, caller, pair, at);
    found[`tables of ${name}`] = await Promise.all([
      text(exportHistory(app, caller, { ...pair, from: at.from, to: at.to })),
      text(
        exportHistory(app, caller, { ...pair, from: at.from + 40 * 60_000 + 13, to: at.to - HOUR }),
      ),
    ]);
    const window = { from: at.from + (at.to - at.from) / 2 + 7_777, to: at.to - 100_000 };
    found[`digests of ${name}`] = [
      await digests(app, caller, { pairs: [pair], ...at, samples: 20, plot: true }),
      await digests(app, caller, { pairs: [pair], ...window, compare: true, samples: 3 }),
    ];
    if (kind !== 'text')
      found[`trends of ${name}`] = await Promise.all(
        [10, 47, 600].map((parts) => trendOf(app, caller, { pairs: [pair], ...window, parts })),
      );
    const place = {
      entityId: pair.pointId,
      ...pair,
      driverId: site.driverId,
      pointType: 'DOUBLE',
    } as const;
    const given = { place, span: window, withRaw: true, withTime: true, isLate: () => false };
    const facts = await storedFacts(app, tenantId, given);
    found[`facts of ${name}`] = [facts?.count, Array.from(facts?.facts ?? [], asTexts)];
    for (const most of [1, 10, 100, 1_000])
      found[`oldest ${most} of ${name}`] = await oldestOf(app, tenantId, {
        places: [place],
        span: window,
        most,
      });
    const since = { tenantId, ...pair, sendTime: at.to - 20 * HOUR + 1 };
    found[`readings since of ${name}`] = await inTenant(app.db, tenantId, (q) =>
      readingsSince(q, since, at.to - 12 * HOUR),
    );
  }
  for (const alarmId of at.alarms)
    found[`around alarm ${alarmId}`] = await inOneTrip(app.db, tenantId, (q) => {
      const of = { tenantId, alarmId };
      return Promise.all([valuesAround(q, of), readingsBefore(q, of), badBefore(q, of)]);
    });
  found['dashboards'] = await dashboards(app, caller);
  return found;
}

type App = World['app'];

/** Of a fact a number stands for its text. */
const asTexts = ({ fact, now }: Arrived) => ({
  fact: {
    ...fact,
    values: Object.entries(fact.values).map(([name, value]) => [name, String(value)]),
  },
  now,
});

/** Means to twelve digits: sums of sums differ from a sum in the last one. */
async function trendOf(app: App, caller: Caller, asked: Parameters<typeof trend>[2]) {
  const { series: found, ...rest } = await trend(app, caller, asked);
  return {
    ...rest,
    series: found.map(({ parts, ...named }) => ({
      ...named,
      parts: parts.map((part) => ({ ...part, mean: Number(part.mean.toPrecision(12)) })),
    })),
  };
}

async function dashboards(app: App, caller: Caller) {
  const found: unknown[] = [await today(app, caller, {})];
  for (const rangeHours of [1, 5, 24, 50, 2_000]) {
    found.push(
      await series(app, caller, { granularity: 'hour', rangeHours }),
      await series(app, caller, { granularity: 'day', rangeHours }),
      await activity(app, caller, { rangeHours }),
      await latency(app, caller, { rangeHours }),
    );
    for (const dimension of ['device', 'point', 'driver'] as const)
      found.push(await top(app, caller, { dimension, rangeHours, limit: 3 }));
  }
  return found;
}

/** All pages by cursor, and one that ends before a millisecond. */
async function pages(
  app: App,
  caller: Caller,
  pair: { deviceId: string; pointId: string },
  { from, to }: Looked,
) {
  const read: unknown[] = [];
  for (let cursor: { at: number; seq: string } | undefined; ;) {
    const page = await history(app, caller, { ...pair, from, to, count: 97, cursor });
    read.push(...page);
    const last = page.at(-1);
    if (!last) break;
    const [at = '', seq = ''] = last.cursor.split('.');
    cursor = { at: Number(at), seq };
  }
  const middle = Math.floor((from + to) / 2);
  return [...read, await history(app, caller, { ...pair, count: 5, before: middle })];
}

const text = async (table: Promise<AsyncIterable<string>>): Promise<string> =>
  (await Array.fromAsync(await table)).join('');

/** Alarms of the number of the first device that fired at these times (ms). */
export const alarmsAt = (
  world: World,
  { tenantId, devices, points, driverId }: Site,
  times: readonly number[],
) =>
  inTenant(world.app.db, tenantId, async (q) => {
    const ids: string[] = [];
    for (const at of times) {
      const { rows } = await sql<{ id: string }>`
        insert into svc_entity_alarm (tenant_id, alarm_target_type_flag, alarm_type_flag, alarm_source_flag, entity_id,
          device_id, point_id, driver_id, first_trigger_time, alarm_ext)
        values (${tenantId}, 0, 0, 0, ${points.number}, ${devices[0]}, ${points.number}, ${driverId}, ${new Date(at)},
          '{"window": {"mode": "LAST", "duration": "PT25M"}}') returning id`.execute(q);
      ids.push(rows[0]?.id ?? '');
    }
    return ids;
  });
