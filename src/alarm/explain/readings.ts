import { type RawBuilder, sql } from 'kysely';

import {
  type ClosedHour,
  dateOf,
  hoursIn,
  hoursWith,
  inOrder,
  merged,
  microsOf,
  valuesOf,
} from '../../data/history/closed.ts';
import type { Queries } from '../../db/connect.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { firedTime, onsetTime } from './around.ts';

type Of = { tenantId: string; alarmId: string };

/** A stored value near an alarm, of its point or another one of its device. */
export type NearReading = {
  at: Date;
  deviceId: string;
  pointId: string;
  pointName: string | null;
  quality: number;
  issue: string | null;
};

export const SPAN_BEFORE = sql`interval '1 hour'`;
const MAX_READINGS = 24;
const MAX_BAD = 5;
const MAX_POINTS = 50;

/** The alarm `a`: where it is, when it fired (`at`), and since when its condition held (`onset`). */
export const alarm = ({ tenantId, alarmId }: Of): RawBuilder<unknown> => sql`
  select e.id, e.tenant_id, e.device_id, e.driver_id, e.point_id, e.rule_id, e.alarm_target_type_flag,
    ${firedTime} as at, ${onsetTime} as onset,
    (select b.group_id from svc_group_bind b where b.tenant_id = e.tenant_id and b.entity_id = e.device_id
      and b.entity_type_flag = ${sql.lit(EntityType.DEVICE)}) as group_id
  from svc_entity_alarm e where e.tenant_id = ${tenantId} and e.id = ${alarmId}`;

/** Times in microseconds. */
type Found = Omit<NearReading, 'at'> & { at: number; seq: string };
type Bounds = { fired: number; since: number };
type FoundHour = ClosedHour & Bounds & Pick<NearReading, 'deviceId' | 'pointId' | 'pointName'>;

const found = sql`${microsOf(sql`v.create_time`)} as at, v.seq::text as seq, v.device_id, v.point_id, v.quality, v.issue`;

/** Of its point up to the firing and within a day, the newest first. */
export async function readingsBefore(q: Queries, of: Of): Promise<NearReading[]> {
  const series = { tenantId: of.tenantId, deviceId: sql`a.device_id`, pointId: sql`a.point_id` };
  const reach = { from: sql`a.at - interval '1 day'`, to: sql`a.at` };
  const names = sql`left join svc_point p on p.tenant_id = ${of.tenantId} and p.id = a.point_id`;
  // The hot rows first: an hour that is closed in between is in both then.
  const [{ rows }, { rows: hours }] = await Promise.all([
    sql<Found>`
      with a as (${alarm(of)})
      select ${found}, p.point_name
      from a join svc_point_value v on v.tenant_id = ${of.tenantId} and v.device_id = a.device_id and v.point_id = a.point_id
      ${names}
      where v.create_time <= a.at and v.create_time > a.at - interval '1 day'
      order by v.create_time desc, v.seq desc limit ${MAX_READINGS}`.execute(q),
    sql<FoundHour>`
      with a as (${alarm(of)})
      select ${microsOf(sql`a.at`)} as fired, ${microsOf(reach.from)} as since, a.device_id, a.point_id,
        p.point_name, near.*
      from a ${names} cross join lateral (
        ${hoursWith(series, reach, { most: MAX_READINGS, newestFirst: true })}) near`.execute(q),
  ]);
  return newestOf(rows, hours).map(readingOf);
}

/** The newest bad values of each point of its device, from an hour before the onset up to the firing. */
export async function badBefore(q: Queries, of: Of): Promise<NearReading[]> {
  const series = { tenantId: of.tenantId, deviceId: sql`a.device_id`, pointId: sql`points.id` };
  const reach = { from: sql`a.onset - ${SPAN_BEFORE}`, to: sql`a.at` };
  const points = sql`
    a as (${alarm(of)}), points as (
      select p.id, p.point_name from a join svc_device d on d.tenant_id = ${of.tenantId} and d.id = a.device_id
      join svc_point p on p.tenant_id = d.tenant_id and p.profile_id = d.profile_id
      order by p.id = a.point_id desc, p.id limit ${MAX_POINTS})`;
  const [{ rows }, { rows: hours }] = await Promise.all([
    // The good ones too of a point with closed hours: they take places among the newest.
    sql<Found>`
      with ${points}
      select ${found}, points.point_name
      from a cross join points cross join lateral (
        select * from svc_point_value v where v.tenant_id = ${of.tenantId} and v.device_id = a.device_id
          and v.point_id = points.id and v.create_time <= a.at and v.create_time > a.onset - ${SPAN_BEFORE}
        order by v.create_time desc, v.seq desc limit ${MAX_READINGS}) v
      where v.quality <> 0 or exists (select from ${hoursIn(series, reach)})
      limit ${MAX_POINTS * MAX_READINGS}`.execute(q),
    sql<FoundHour>`
      with ${points}
      select ${microsOf(sql`a.at`)} as fired, ${microsOf(reach.from)} as since, a.device_id,
        points.id as point_id, points.point_name, near.*
      from a cross join points cross join lateral (
        ${hoursWith(series, reach, { most: MAX_READINGS, newestFirst: true })}) near`.execute(q),
  ]);
  const ofPoint = Object.groupBy(rows, ({ pointId }) => pointId);
  const hoursOfPoint = Object.groupBy(hours, ({ pointId }) => pointId);
  return Object.keys({ ...ofPoint, ...hoursOfPoint })
    .flatMap((id) => newestOf(ofPoint[id] ?? [], hoursOfPoint[id] ?? []))
    .filter(({ quality }) => quality !== 0)
    .toSorted((a, b) => b.at - a.at || Number(BigInt(a.pointId) - BigInt(b.pointId)))
    .slice(0, MAX_BAD)
    .map(readingOf);
}

/** The newest of one point, hot or closed. */
function newestOf(hot: readonly Found[], hours: readonly FoundHour[]): Found[] {
  const [place] = hours;
  if (!place) return hot.toSorted(inOrder).toReversed();
  const { fired, since, deviceId, pointId, pointName } = place;
  const closed = [...valuesOf(hours)]
    .filter(({ at }) => at > since && at <= fired)
    .map(({ at, seq, quality, issue }) => ({
      at,
      seq,
      quality,
      issue,
      deviceId,
      pointId,
      pointName,
    }));
  return merged(closed, hot).toReversed().slice(0, MAX_READINGS);
}

const readingOf = ({ at, deviceId, pointId, pointName, quality, issue }: Found): NearReading => ({
  at: dateOf(at),
  deviceId,
  pointId,
  pointName,
  quality,
  issue,
});
