import { sql } from 'kysely';

import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { EnableFlag } from '../../kernel/input/flag.ts';
import { EntityType } from '../../manager/entity/entity-type.ts';
import { numberIn } from './condition.ts';
import type { ActiveRule, Fact } from './fact.ts';
import { maxAgeOf } from './points.ts';

/** Devices of a group whose values make its median: those of the lowest ids. */
export const MAX_PEERS = 1_000;

type Known = { at: number; seq: bigint; value: number | null };

/** The newest value of a point of each device of a group. */
export class Peers {
  readonly #newest = new Map<string, Known | null>();
  #values = new Float64Array(16);

  constructor(deviceIds: Iterable<string>) {
    for (const id of deviceIds) this.#newest.set(id, null);
  }

  /** Takes a value, null of a bad one, unless a newer one of the device is known, or the device is none of the group. */
  take(deviceId: string, value: Known): void {
    const known = this.#newest.get(deviceId);
    if (known === undefined) return;
    if (known && (known.at > value.at || (known.at === value.at && known.seq >= value.seq))) return;
    this.#newest.set(deviceId, value);
  }

  takeFact({ deviceId, values, at, seq = 0n }: Fact): void {
    this.take(deviceId, { at, seq, value: numberIn(values, 'value') });
  }

  /**
   * The median of the values of the group that are not older than `since` (ms), with `own` as that of the device; null
   * for fewer than `least`, and for a device that is none of the group.
   */
  median(
    deviceId: string,
    own: number,
    { since, least }: { since: number; least: number },
  ): number | null {
    if (!this.#newest.has(deviceId)) return null;
    if (this.#values.length < this.#newest.size) this.#values = new Float64Array(this.#newest.size);
    let count = 0;
    this.#values[count++] = own;
    for (const [id, known] of this.#newest)
      if (id !== deviceId && known && known.value !== null && known.at >= since)
        this.#values[count++] = known.value;
    if (count < least) return null;
    const sorted = this.#values.subarray(0, count).toSorted();
    const middle = count >> 1;
    const upper = sorted[middle] ?? NaN;
    return count % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
  }
}

type Deviation = Record<'median' | 'deviation' | 'deviationPercent', number | null>;

/** What a value is from the median of its group; null without one: it decides nothing. */
export function deviationOf(own: number | null, median: number | null): Deviation {
  if (own === null || median === null)
    return { median: null, deviation: null, deviationPercent: null };
  const rounded = (number: number): number => Number(number.toPrecision(12));
  const deviation = rounded(own - median);
  const deviationPercent = median === 0 ? null : rounded((100 * deviation) / Math.abs(median));
  return { median, deviation, deviationPercent };
}

/** A fact with how far it is from the median of the group of its rule; as it is for a rule without one. */
export function withPeers(rule: ActiveRule, fact: Fact, groups: Groups): Fact {
  const { peers } = rule.content;
  if (!peers || rule.target !== 'POINT' || fact.heldFor !== undefined) return fact;
  const known = groups.get(keyOf(fact.pointId, peers.groupId));
  const own = numberIn(fact.values, 'value');
  const asked = { since: fact.at - maxAgeOf(rule.content, fact), least: peers.minDevices };
  const median = own === null ? null : (known?.median(fact.deviceId, own, asked) ?? null);
  return { ...fact, values: { ...fact.values, ...deviationOf(own, median) } };
}

/** Whether a rule is still there, and compares with the group that its fact was compared with. */
export const hasSameGroup = (
  current: ActiveRule | null | undefined,
  rule: ActiveRule,
): current is ActiveRule =>
  current?.content.peers?.groupId === rule.content.peers?.groupId &&
  current !== null &&
  current !== undefined;

/** Groups of devices by a point and the group. */
export type Groups = ReadonlyMap<string, Peers>;
const keyOf = (pointId: string, groupId: string): string => `${pointId}:${groupId}`;

type Asked = { pointId: string; groupId: string };

/** The groups whose medians the rules compare the facts with. */
export function groupsOf(
  candidates: (entityId: string) => readonly ActiveRule[],
  facts: readonly Fact[],
): Asked[] {
  const asked = new Map<string, Asked>();
  for (const { entityId: pointId } of facts)
    for (const { content, target } of candidates(pointId)) {
      const { peers } = content;
      if (!peers || target !== 'POINT') continue;
      const { groupId } = peers;
      asked.set(keyOf(pointId, groupId), { pointId, groupId });
    }
  return [...asked.values()];
}

type Row = {
  pointId: string;
  groupId: string;
  deviceId: string;
  at: Date | null;
  seq: string | null;
  value: number | null;
  quality: number | null;
};

/** The newest values of groups, those of `facts` among them: of values that came together all count for each. */
export async function groupsWith(
  q: Queries,
  tenantId: string,
  { asked, facts }: { asked: readonly Asked[]; facts: readonly Fact[] },
): Promise<Groups> {
  const { rows } = await sql<Row>`
    select a.point_id as "pointId", a.group_id as "groupId", m.device_id as "deviceId",
      least(l.create_time, l.receive_time) as at, l.seq, l.num_value as value, l.quality
    from unnest(${asked.map(({ pointId }) => pointId)}::bigint[], ${asked.map(({ groupId }) => groupId)}::bigint[])
      as a (point_id, group_id)
    cross join lateral (${membersOf(tenantId, sql`a.group_id`, sql`a.point_id`)} limit ${MAX_PEERS}) m
    left join svc_point_latest l on l.tenant_id = ${tenantId} and l.device_id = m.device_id
      and l.point_id = a.point_id`.execute(q);
  const groups = new Map<string, Peers>();
  const members = Map.groupBy(rows, ({ pointId, groupId }) => keyOf(pointId, groupId));
  for (const [key, of] of members) {
    const peers = new Peers(of.map(({ deviceId }) => deviceId));
    for (const { deviceId, at, seq, value, quality } of of)
      if (at)
        peers.take(deviceId, {
          at: at.getTime(),
          seq: BigInt(seq ?? 0),
          value: quality === Quality.BAD ? null : value,
        });
    groups.set(key, peers);
  }
  for (const { pointId, groupId } of asked)
    for (const fact of facts)
      if (fact.pointId === pointId) groups.get(keyOf(pointId, groupId))?.takeFact(fact);
  return groups;
}

/** The devices of a group that have a point, by id. */
export const membersOf = (tenantId: unknown, groupId: unknown, pointId: unknown) => sql<{
  deviceId: string;
}>`select d.id as device_id from svc_group_bind b
    join svc_device d on d.tenant_id = b.tenant_id and d.id = b.entity_id
    join svc_point p on p.tenant_id = d.tenant_id and p.profile_id = d.profile_id and p.id = ${pointId}
    where b.tenant_id = ${tenantId} and b.group_id = ${groupId}
      and b.entity_type_flag = ${EntityType.DEVICE} and b.enable_flag = ${EnableFlag.ENABLE}
    order by d.id`;
