import type { AttributeType } from '../../../bus/topics.ts';
import { STALE_AFTER, intervalOf } from '../../../data/value/freshness.ts';
import type { App } from '../../../kernel/app/app.ts';
import type { ActiveRule, Fact } from '../../condition/fact.ts';
import { atPlace } from '../../condition/limit.ts';
import { pointsOf } from '../../condition/points.ts';
import { type Looked, Series } from './episodes.ts';
import { oldestOf } from './oldest.ts';
import {
  comparedFacts,
  type Device,
  emptyFacts,
  newestBefore,
  type PeerFacts,
} from './peer-facts.ts';
import { type Arrived, type Place, replay } from './replay.ts';
import { Runs } from './runs.ts';
import { joinedFacts, type StoredFacts, storedFacts } from './stored-facts.ts';

/** The newest values of each device, of all points of a rule: a month at 30 s has 86,400. */
const MAX_VALUES = 100_000;
/** Of a group whose median is compared, all values. */
const MAX_OF_PEERS = 1_000_000;
const MAX_MS = 10_000;

export type Span = { from: number; to: number };

export type Reading = {
  watched: { pointType: AttributeType; devices: Device[] };
  rule: ActiveRule;
  types: ReadonlyMap<string, AttributeType>;
  /** The devices of the group whose median the rule compares with; none for other rules. */
  peers: readonly Device[];
};

/** The points of a rule on a device, its own first. */
function placesOf({ watched, rule, types }: Reading, { deviceId, driverId }: Device): Place[] {
  const typeOf = new Map(
    Object.entries(rule.content.points ?? {}).map(([name, id]) => [id, types.get(name)]),
  );
  return pointsOf(rule).map((id) => ({
    entityId: id,
    pointId: id,
    pointType: id === rule.entityId ? watched.pointType : typeOf.get(id),
    deviceId,
    driverId,
  }));
}

/** The span in which no device has more values than are looked at. */
export async function coveredOf(
  app: App,
  tenantId: string,
  reading: Reading,
  span: Span,
): Promise<Span> {
  const { watched, rule, peers } = reading;
  const read = peers.length === 0 ? watched.devices : peers;
  const places = read.flatMap((device) => placesOf(reading, device));
  const all = peers.length === 0 ? MAX_VALUES : Math.min(MAX_VALUES, MAX_OF_PEERS / peers.length);
  const most = Math.floor(all / pointsOf(rule).length);
  const oldest = await oldestOf(app, tenantId, { places, span, most });
  return { from: Math.max(span.from, ...oldest.map((at) => at ?? 0)), to: span.to };
}

/** What the rule would have raised, a device at a time; those that the time does not suffice for are left out. */
export async function lookedAt(
  app: App,
  tenantId: string,
  reading: Reading,
  span: Span,
): Promise<Looked[]> {
  const { rule, watched } = reading;
  const begun = app.clock.elapsed();
  const isLate = (): boolean => app.clock.elapsed() - begun > MAX_MS;
  const looked: Looked[] = [];
  const content = JSON.stringify(rule.content);
  const withRaw = content.includes('rawValue');
  const withTime = content.includes('createTime');
  const read = async (device: Device): Promise<StoredFacts[] | null> => {
    const ofEach: StoredFacts[] = [];
    for (const place of placesOf(reading, device)) {
      const given = { place, span, withRaw, withTime, isLate };
      const found = isLate() ? null : await storedFacts(app, tenantId, given);
      if (!found) return null;
      ofEach.push(found);
    }
    return ofEach;
  };
  const staleOf = ({ declared }: Device): number => STALE_AFTER * intervalOf(declared);
  const add = async (device: Device, placed: ActiveRule, joined: StoredFacts): Promise<void> => {
    const series = new Series(placed, span);
    const runs = new Runs(placed);
    const onFact = (fact: Fact): void => series.add(fact);
    const onMatch = (seen: Arrived, match: boolean): void => runs.add(seen, match);
    looked.push({
      deviceId: device.deviceId,
      raised: await replay(placed, { ...joined, span, onFact, onMatch }),
      values: joined.count,
      series: series.points(),
      runs,
    });
  };
  if (rule.content.peers) {
    const before = await newestBefore(app, tenantId, {
      rule,
      places: reading.peers.flatMap((device) => placesOf(reading, device)),
      staleMs: Math.max(...reading.peers.map(staleOf)),
      from: span.from,
      isLate,
    });
    if (!before) return looked;
    const ofPeers: PeerFacts[] = [];
    for (const device of reading.peers) {
      const [own] = (await read(device)) ?? [];
      if (!own) return looked;
      ofPeers.push({ ...own, staleMs: staleOf(device) });
    }
    const compared = await comparedFacts(rule, { before, ofPeers, isLate });
    for (const device of compared ? watched.devices : []) {
      const own = compared?.get(device.deviceId) ?? emptyFacts(placesOf(reading, device)[0]);
      if (isLate() || !own) return looked;
      await add(device, atPlace(rule, own.place), own);
    }
    return looked;
  }
  // The database reads the next one meanwhile.
  let next = watched.devices[0] && read(watched.devices[0]);
  for (const [index, device] of watched.devices.entries()) {
    const ofEach = await next;
    if (!ofEach) return looked;
    const following = watched.devices[index + 1];
    next = following && read(following);
    // Of a failed one nothing is unhandled where the replay fails first.
    next?.catch(() => {});
    const [own] = ofEach;
    if (!own) continue;
    const staleMs = staleOf(device);
    const placed = atPlace(rule, own.place);
    await add(device, placed, joinedFacts({ rule: placed, place: own.place, staleMs }, ofEach));
  }
  return looked;
}
