import type { AttributeType } from '../../../bus/topic/topics.ts';
import { STALE_AFTER, intervalOf } from '../../../data/value/freshness.ts';
import type { App } from '../../../kernel/app/app.ts';
import { rememberedOf } from '../../condition/aggregate.ts';
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
import {
  joinedFacts,
  type Span,
  aggregatedFacts,
  type StoredFacts,
  storedFacts,
} from '../replay/stored-facts.ts';
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
  const isOfGroup = peers.length > 0 || rule.content.aggregate !== undefined;
  const all = (isOfGroup ? MAX_OF_PEERS : MAX_ALL) / Math.max(1, read.length);
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
  /** What the state of the rule remembers when the span begins. */
  memory?: Record<string, unknown>;
};

/** What the rule would have raised at one place. */
export async function lookedAtPlace(
  rule: ActiveRule,
  { names: { entityName, deviceName }, stored, span, memory = {} }: Stored,
): Promise<Looked> {
  const series = new Series(rule, span);
  const runs = new Runs(rule);
  const onFact = (fact: Fact): void => series.add(fact);
  const onMatch = (seen: Arrived, match: boolean): void => runs.add(seen, match);
  const raised = await replay(rule, { ...stored, span, memory, onFact, onMatch });
  const { deviceId } = stored.place;
  const values = stored.count;
  const { rates } = series;
  const drawn = series.points();
  return { entityName, deviceName, deviceId, raised, values, rates, series: drawn, runs };
}

type Turn = {
  reading: Reading;
  span: Span;
  isLate(): boolean;
  /** The values of each place of a device; null where the time does not suffice. */
  read(spot: Spot): Promise<StoredFacts[] | null>;
  /** The newest value of each device before the span. */
  before(spots: readonly Spot[]): Promise<Fact[] | null>;
};

function turnOf(app: App, tenantId: string, reading: Reading, span: Span): Turn {
  const { rule } = reading;
  const isLate = isLateAfter(app);
  const content = JSON.stringify(rule.content);
  const withRaw = content.includes('rawValue');
  const withTime = content.includes('createTime');
  return {
    reading,
    span,
    isLate,
    async read({ places }) {
      const ofEach: StoredFacts[] = [];
      for (const place of places) {
        const given = { place, span, withRaw, withTime, isLate };
        const found = isLate() ? null : await storedFacts(app, tenantId, given);
        if (!found) return null;
        ofEach.push(found);
      }
      return ofEach;
    },
    before: (spots) =>
      newestBefore(app, tenantId, {
        rule,
        places: spots.flatMap(({ places }) => places),
        staleMs: Math.max(...spots.map(staleOf)),
        from: span.from,
        isLate,
      }),
  };
}

/** What the rule would have raised, a device at a time; those that the time does not suffice for are left out. */
export async function lookedAt(
  app: App,
  tenantId: string,
  reading: Reading,
  asked: Span,
): Promise<Looked[]> {
  const turn = turnOf(app, tenantId, reading, asked);
  const { rule, spots } = reading;
  if (rule.content.aggregate) return lookedAtAggregate(turn);
  if (rule.content.peers) return lookedAtPeers(turn);
  const { read, span } = turn;
  const looked: Looked[] = [];
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
    const stored = joinedFacts({ rule: placed, place: own.place, staleMs }, ofEach);
    looked.push(await lookedAtPlace(placed, { names: device, stored, span }));
  }
  return looked;
}

/** The own values of each device; null where the time does not suffice for all. */
async function ownOf({ read }: Turn, spots: readonly Spot[]): Promise<PeerFacts[] | null> {
  const all: PeerFacts[] = [];
  for (const spot of spots) {
    const [own] = (await read(spot)) ?? [];
    if (!own) return null;
    all.push({ ...own, staleMs: staleOf(spot) });
  }
  return all;
}

/** What a rule would have raised that judges its devices together; none where the time does not suffice for all. */
async function lookedAtAggregate(turn: Turn): Promise<Looked[]> {
  const { rule, spots } = turn.reading;
  const [first] = spots;
  const before = first ? await turn.before(spots) : null;
  const ofEach = before && (await ownOf(turn, spots));
  const stored = ofEach && aggregatedFacts(rule, ofEach);
  if (!first || !stored || turn.isLate()) return [];
  const staleOfEach = new Map(ofEach.map(({ place, staleMs }) => [place.deviceId, staleMs]));
  const known = before.map((fact) => ({ ...fact, staleMs: staleOfEach.get(fact.deviceId) ?? 0 }));
  const names = { entityName: first.entityName, deviceName: '' };
  const memory = rememberedOf(rule, known);
  return [await lookedAtPlace(rule, { names, stored, span: turn.span, memory })];
}

/** As `lookedAt`, of a rule that compares each device with a group. */
async function lookedAtPeers(turn: Turn): Promise<Looked[]> {
  const { rule, spots, peers } = turn.reading;
  const { isLate, span } = turn;
  const looked: Looked[] = [];
  const before = await turn.before(peers);
  const ofPeers = before && (await ownOf(turn, peers));
  const compared = ofPeers && (await comparedFacts(rule, { before, ofPeers, isLate }));
  for (const device of compared ? spots : []) {
    const own = compared?.get(device.deviceId) ?? emptyFacts(device.places[0]);
    if (isLate() || !own) return looked;
    looked.push(
      await lookedAtPlace(atPlace(rule, own.place), { names: device, stored: own, span }),
    );
  }
  return looked;
}
