import type { Queries } from '../../db/connect.ts';
import { amount, byName, quoted } from '../../kernel/sentence/voice.ts';
import { statesOf, type Status, deviceStatusOf } from '../device/state.ts';
import { EntityType } from '../entity/entity-type.ts';
import type { Pair } from './match.ts';
import type { Named } from './name-list.ts';
import type { DeviceName, PointName } from './plant-names.ts';

/** What a name may mean. */
export type Candidate = Named | Pair<DeviceName, PointName>;

type Latest = { value: string; unit: string; ageS: number };

/** What tells candidates apart: the status of a device, by its id; the value of a point, by `device:point`. */
export type Facts = { statuses: ReadonlyMap<string, Status>; values: ReadonlyMap<string, Latest> };

export async function factsOf(
  q: Queries,
  tenantId: string,
  { candidates, areDevices }: { candidates: readonly Candidate[]; areDevices: boolean },
  now: number,
): Promise<Facts> {
  const pairs = candidates.filter((one) => 'point' in one);
  const devices = areDevices
    ? candidates.map((one) => ('point' in one ? one.device.id : one.id))
    : [];
  const [states, values] = await Promise.all([
    statesOf(q, tenantId, EntityType.DEVICE, now)
      .where((eb) => eb('entityId', '=', eb.fn.any(eb.val(devices))))
      .execute(),
    q
      .selectFrom('svc_point_latest as l')
      .innerJoin('svc_point as p', (join) =>
        join.onRef('p.tenantId', '=', 'l.tenantId').onRef('p.id', '=', 'l.pointId'),
      )
      .select(['l.deviceId', 'l.pointId', 'l.calValue', 'l.createTime', 'p.unit'])
      .where('l.tenantId', '=', tenantId)
      .where((eb) => eb('l.deviceId', '=', eb.fn.any(eb.val(pairs.map(({ device }) => device.id)))))
      .where((eb) => eb('l.pointId', '=', eb.fn.any(eb.val(pairs.map(({ point }) => point.id)))))
      .execute(),
  ]);
  return {
    statuses: new Map(states.map((state) => [state.entityId, deviceStatusOf(state)])),
    values: new Map(
      values.map(({ deviceId, pointId, calValue: value, createTime, unit }) => [
        `${deviceId}:${pointId}`,
        { value, unit, ageS: Math.max(0, Math.round((now - createTime.getTime()) / 1000)) },
      ]),
    ),
  };
}

/** A candidate with the ids to use, e.g. `“pressure” of “Boiler 2” (deviceId 4, pointId 9): 2.1 bar, 12 s old, online`. */
export function candidateText(
  candidate: Candidate,
  kind: string,
  { statuses, values }: Facts,
): string {
  if (!('point' in candidate)) {
    const status = statuses.get(candidate.id);
    return `${quoted(candidate.name)} (${kind}Id ${candidate.id})${status ? `: ${status}` : ''}`;
  }
  const { device, point } = candidate;
  const latest = values.get(`${device.id}:${point.id}`);
  const value = latest
    ? `${amount(latest.value, latest.unit, byName)}, ${latest.ageS} s old`
    : 'no value yet';
  const status = statuses.get(device.id) ?? 'unknown';
  return `${quoted(point.name)} of ${quoted(device.name)} (deviceId ${device.id}, pointId ${point.id}): ${value}, ${status}`;
}
