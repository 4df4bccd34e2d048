import { Quality } from '../../bus/topic/topics.ts';
import { insertHistory, upsertLatest } from '../../data/ingest/ingest.ts';
import type { StoredValue } from '../../data/value/stored-value.ts';
import { pastWeek, type Sample } from './past-week.ts';
import type { Added, Making } from './rows.ts';

/** Values of one statement. */
const SLICE = 5_000;
const ISSUE = 'Made up for the demo';

/** The made-up values of one point of one device, oldest first. */
export type Series = {
  deviceName: string;
  pointName: string;
  deviceId: string;
  pointId: string;
  driverId: string;
  samples: readonly Sample[];
};

export const weekOf = (plant: readonly Added[], driverId: string, now: number): Series[] =>
  plant.flatMap((added) =>
    added.device.points.map((point) => ({
      deviceName: added.device.deviceName,
      pointName: point.pointName,
      deviceId: added.deviceId,
      pointId: added.points.get(point.pointName) ?? '0',
      driverId,
      samples: pastWeek(added, point, now),
    })),
  );

/** Stores the week, and the last value of each point as its latest; `issue` says that nothing measured it. */
export async function storeWeek(
  { app, q, caller }: Making,
  week: readonly Series[],
): Promise<void> {
  const now = app.clock.now();
  const [first] = week;
  if (!first) return;
  const origin = { tenantId: caller.tenantId, driverId: first.driverId };
  const values = week.flatMap((series) => series.samples.map((sample) => valueOf(series, sample)));
  for (let from = 0; from < values.length; from += SLICE)
    await insertHistory(q, origin, values.slice(from, from + SLICE), now);
  const latest = week.flatMap((series) => {
    const last = series.samples.at(-1);
    return last ? [valueOf(series, last)] : [];
  });
  await upsertLatest(q, origin, latest, now);
}

const valueOf = ({ deviceId, pointId }: Series, { at, value }: Sample): StoredValue => ({
  deviceId,
  pointId,
  rawValue: String(value),
  calValue: String(value),
  numValue: value,
  originTime: at,
  seq: 0,
  quality: Quality.GOOD,
  issue: ISSUE,
  claimedTime: null,
});
