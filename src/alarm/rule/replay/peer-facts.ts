import { setImmediate } from 'node:timers/promises';

import { sql } from 'kysely';

import { declaredInterval } from '../../../data/value/freshness.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { numberIn } from '../../condition/condition.ts';
import type { ActiveRule, Fact } from '../../condition/fact.ts';
import { deviationOf, membersOf, Peers } from '../../condition/peers.ts';
import { maxAgeOf } from '../../condition/points.ts';
import { oldestOf } from './oldest.ts';
import type { Arrived, Place } from './replay.ts';
import { merged, type StoredFacts, storedFacts } from './stored-facts.ts';

/** Devices of a group that are read for its median. */
const MAX_PEERS = 100;
/** Facts between which other requests are served. */
const SLICE = 5_000;

export type Device = {
  deviceId: string;
  deviceName: string;
  driverId: string;
  /** The read interval that its driver declares. */
  declared: string | null;
};

/** The devices of the group that a rule compares with, by id; null for a rule without one. */
export async function peersOf(
  app: App,
  tenantId: string,
  { entityId, content: { peers } }: ActiveRule,
): Promise<{ devices: Device[]; hasMore: boolean } | null> {
  if (!peers) return null;
  const devices = await inOneTrip(app.db, tenantId, (q) =>
    q
      .selectFrom('svc_device as d')
      .leftJoin('svc_driver as v', (join) =>
        join.onRef('v.tenantId', '=', 'd.tenantId').onRef('v.id', '=', 'd.driverId'),
      )
      .select(['d.id as deviceId', 'd.deviceName', 'd.driverId', declaredInterval.as('declared')])
      .where('d.tenantId', '=', tenantId)
      .where(sql<boolean>`d.id in (${membersOf(tenantId, peers.groupId, entityId)})`)
      .orderBy('d.id')
      .limit(MAX_PEERS + 1)
      .execute(),
  );
  return { devices: devices.slice(0, MAX_PEERS), hasMore: devices.length > MAX_PEERS };
}

export type PeerFacts = StoredFacts & { staleMs: number };

type Before = {
  rule: ActiveRule;
  places: readonly Place[];
  /** How old values may be until newer ones are overdue (ms). */
  staleMs: number;
  from: number;
  isLate(): boolean;
};

/**
 * The newest value of each place before a time, as far as it may still be compared with then; null where the time does not
 * suffice.
 */
export async function newestBefore(
  app: App,
  tenantId: string,
  { rule, places, staleMs, from, isLate }: Before,
): Promise<Fact[] | null> {
  const to = from - 1;
  const since = Math.max(0, from - maxAgeOf(rule.content, { staleMs }));
  if (since > to) return [];
  const newest = await oldestOf(app, tenantId, { places, span: { from: since, to }, most: 1 });
  const found: Fact[] = [];
  for (const [index, place] of places.entries()) {
    // Null: there is one at most.
    const span = { from: newest[index] ?? since, to };
    const read = { place, span, withRaw: false, withTime: false, isLate };
    const stored = isLate() ? null : await storedFacts(app, tenantId, read);
    if (!stored) return null;
    for (const { fact } of stored.facts) found.push(fact);
  }
  return found;
}

export const emptyFacts = (place: Place | undefined): StoredFacts | undefined =>
  place && { place, count: 0, facts: [] };

/**
 * The facts of each device of a group with how far they are from its median when they came, by device; null where the
 * time does not suffice. What came at the same time counts for all of it, as the evaluation takes a batch.
 */
export async function comparedFacts(
  rule: ActiveRule,
  {
    before,
    ofPeers,
    isLate,
  }: { before: readonly Fact[]; ofPeers: readonly PeerFacts[]; isLate(): boolean },
): Promise<Map<string, StoredFacts> | null> {
  const peers = new Peers(ofPeers.map(({ place }) => place.deviceId));
  for (const fact of before) peers.takeFact(fact);
  const least = rule.content.peers?.minDevices ?? Infinity;
  const lines = new Map(
    ofPeers.map(({ place, count, staleMs }) => [
      place.deviceId,
      { staleMs, medians: new Float64Array(count).fill(NaN), next: 0 },
    ]),
  );
  let together: Arrived[] = [];
  const compare = (): void => {
    for (const { fact } of together) peers.takeFact(fact);
    for (const { fact } of together) {
      const line = lines.get(fact.deviceId);
      const own = numberIn(fact.values, 'value');
      if (!line) continue;
      const since = fact.at - maxAgeOf(rule.content, line);
      const median = own === null ? null : peers.median(fact.deviceId, own, { since, least });
      line.medians[line.next] = median ?? NaN;
      line.next += 1;
    }
    together = [];
  };
  let count = 0;
  for (const arrived of merged(ofPeers)) {
    count += 1;
    if (count % SLICE === 0) await setImmediate();
    if (count % SLICE === 0 && isLate()) return null;
    if (together[0] && together[0].now !== arrived.now) compare();
    together.push(arrived);
  }
  compare();
  return new Map(
    ofPeers.map(({ place, count: all, facts, staleMs }) => {
      const medians = lines.get(place.deviceId)?.medians ?? new Float64Array();
      const withMedian = (fact: Fact, index: number): Fact => {
        const median = medians[index] ?? NaN;
        const own = numberIn(fact.values, 'value');
        const deviation = deviationOf(own, Number.isNaN(median) ? null : median);
        return { ...fact, staleMs, values: { ...fact.values, ...deviation } };
      };
      return [place.deviceId, { place, count: all, facts: mapped(facts, withMedian) }];
    }),
  );
}

const mapped = (facts: Iterable<Arrived>, of: (fact: Fact, index: number) => Fact) => ({
  *[Symbol.iterator](): Generator<Arrived> {
    let index = 0;
    for (const { fact, now } of facts) {
      yield { fact: of(fact, index), now };
      index += 1;
    }
  },
});
