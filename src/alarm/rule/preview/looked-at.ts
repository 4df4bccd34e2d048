import type { AttributeType } from '../../../bus/topic/topics.ts';
import { STALE_AFTER, intervalOf } from '../../../data/value/freshness.ts';
import type { App } from '../../../kernel/app/app.ts';
import type { ActiveRule, Fact } from '../../condition/fact.ts';
import { atPlace } from '../../condition/limit.ts';
import { pointsOf } from '../../condition/points.ts';
import { oldestOf } from '../replay/oldest.ts';
import {
  comparedFacts,
  type Device,
  emptyFacts,
  newestBefore,
  type PeerFacts,
} from '../replay/peer-facts.ts';
import { type Arrived, type Place, replay } from '../replay/replay.ts';
import { joinedFacts, type Span, type StoredFacts, storedFacts } from '../replay/stored-facts.ts';
import { type Looked, Series } from './episodes.ts';
import { Runs } from './runs.ts';

/** The newest values of each device, of all points of a rule: a month at 30 s has 86,400. */
const MAX_VALUES = 100_000;
/** Of all of them. */
const MAX_ALL = 2_000_000;
/** Of a group whose median is compared, all values. */
const MAX_OF_PEERS = 1_000_000;
const MAX_MS = 10_000;

/** A device with the points that a rule compares on it, the one that it watches first. */
type Spot = Device & { entityName: string; places: readonly Place[] };

export type Reading = {
  rule: ActiveRule;
  spots: readonly Spot[];
  /** The devices of the group whose median the rule compares with; none for other rules. */
  peers: readonly Spot[];
};

type Point = { pointId: string; pointType: AttributeType };

/** The places of a rule on a device for a point that it watches: that point, and the others that it names. */
export function placesOf(
  rule: ActiveRule,
  { pointId, pointType }: Point,
  { device, types }: { device: Device; types: ReadonlyMap<string, AttributeType> },
): Place[] {
  const { deviceId, driverId } = device;
  const others = Object.entries(rule.content.points ?? {}).map(
    ([name, id]) => [id, types.get(name)] as const,
  );
  const typeOf = new Map(others);
  return [pointId, ...pointsOf(rule).filter((id) => id !== rule.entityId)].map((id) => ({
    entityId: id,
    pointId: id,
    pointType: id === pointId ? pointType : typeOf.get(id),
    deviceId,
    driverId,
  }));
}

/** The span in which no device has more values than are looked at. */
export async function coveredOf(
  app: App,
  tenantId: string,
  { rule, spots, peers }: Reading,
  span: Span,
): Promise<Span> {
  const read = peers.length === 0 ? spots : peers;
  const places = read.flatMap((spot) => spot.places);
  const all = (peers.length === 0 ? MAX_ALL : MAX_OF_PEERS) / Math.max(1, read.length);
  const most = Math.floor(Math.min(MAX_VALUES, all) / pointsOf(rule).length);
  const oldest = await oldestOf(app, tenantId, { places, span, most });
  return { from: Math.max(span.from, ...oldest.map((at) => at ?? 0)), to: span.to };
}

/** Whether the time for a preview that begins now is over. */
export function isLateAfter({ clock }: Pick<App, 'clock'>): () => boolean {
  const begun = clock.elapsed();
  return () => clock.elapsed() - begun > MAX_MS;
}

const staleOf = ({ declared }: Device): number => STALE_AFTER * intervalOf(declared);

type Stored = {
  names: Pick<Looked, 'entityName' | 'deviceName'>;
  stored: StoredFacts;
  span: Span;
};

/** What the rule would have raised at one place. */
export async function lookedAtPlace(
  rule: ActiveRule,
  { names: { entityName, deviceName }, stored, span }: Stored,
): Promise<Looked> {
  const series = new Series(rule, span);
  const runs = new Runs(rule);
  const onFact = (fact: Fact): void => series.add(fact);
  const onMatch = (seen: Arrived, match: boolean): void => runs.add(seen, match);
  const raised = await replay(rule, { ...stored, span, onFact, onMatch });
  const { deviceId } = stored.place;
  const values = stored.count;
  const { everyMs } = series;
  const drawn = series.points();
  return { entityName, deviceName, deviceId, raised, values, everyMs, series: drawn, runs };
}

/** What the rule would have raised, a device at a time; those that the time does not suffice for are left out. */
export async function lookedAt(
  app: App,
  tenantId: string,
  reading: Reading,
  span: Span,
): Promise<Looked[]> {
  const { rule, spots, peers } = reading;
  const isLate = isLateAfter(app);
  const looked: Looked[] = [];
  const content = JSON.stringify(rule.content);
  const withRaw = content.includes('rawValue');
  const withTime = content.includes('createTime');
  const read = async ({ places }: Spot): Promise<StoredFacts[] | null> => {
    const ofEach: StoredFacts[] = [];
    for (const place of places) {
      const given = { place, span, withRaw, withTime, isLate };
      const found = isLate() ? null : await storedFacts(app, tenantId, given);
      if (!found) return null;
      ofEach.push(found);
    }
    return ofEach;
  };
  const add = async (spot: Spot, placed: ActiveRule, joined: StoredFacts): Promise<void> => {
    looked.push(await lookedAtPlace(placed, { names: spot, stored: joined, span }));
  };
  if (rule.content.peers) {
    const before = await newestBefore(app, tenantId, {
      rule,
      places: peers.flatMap(({ places }) => places),
      staleMs: Math.max(...peers.map(staleOf)),
      from: span.from,
      isLate,
    });
    if (!before) return looked;
    const ofPeers: PeerFacts[] = [];
    for (const device of peers) {
      const [own] = (await read(device)) ?? [];
      if (!own) return looked;
      ofPeers.push({ ...own, staleMs: staleOf(device) });
    }
    const compared = await comparedFacts(rule, { before, ofPeers, isLate });
    for (const device of compared ? spots : []) {
      const own = compared?.get(device.deviceId) ?? emptyFacts(device.places[0]);
      if (isLate() || !own) return looked;
      await add(device, atPlace(rule, own.place), own);
    }
    return looked;
  }
  // The database reads the next one meanwhile.
  let next = spots[0] && read(spots[0]);
  for (const [index, device] of spots.entries()) {
    const ofEach = await next;
    if (!ofEach) return looked;
    const following = spots[index + 1];
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
