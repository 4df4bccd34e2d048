import { sql } from 'kysely';

import { IMPORTED } from '../../data/value/value-import.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { ofRule } from '../condition/points.ts';
import { factOf } from '../condition/value-fact.ts';
import type { Arrived, Place } from './replay.ts';

type Span = { from: number; to: number };
type Row = {
  driverId: string;
  createTime: Date;
  seq: string;
  rawValue: string;
  calValue: string;
  numValue: number | null;
  quality: number;
  receiveTime: Date;
  issue: string | null;
};

/** Values read at a time. */
const PAGE = 5_000;

/** What was read of one place: its facts in the order in which they came. */
export type StoredFacts = { place: Place; facts: Arrived[] };

type Given = { place: Place; span: Span; isLate(): boolean };

/** The stored values of a place as the facts that rules saw, page by page; null where the time does not suffice. */
export async function storedFacts(
  app: App,
  tenantId: string,
  { place, span, isLate }: Given,
): Promise<StoredFacts | null> {
  const facts: Arrived[] = [];
  let last: Row | undefined;
  for (;;) {
    if (last && isLate()) return null;
    const page = await pageOf(app, tenantId, { place, span, last });
    facts.push(...arrivedOf(place, page));
    last = page.at(-1);
    if (page.length < PAGE) return { place, facts: facts.toSorted(byArrival) };
  }
}

/** When the oldest of the newest `most` values of a place was measured (ms); null where the span has no more. */
export async function oldestOf(
  q: Queries,
  tenantId: string,
  { place, span, most }: { place: Place; span: Span; most: number },
): Promise<number | null> {
  const rows = await ofPlace(q, tenantId, { place, span })
    .select('createTime')
    .orderBy('createTime', 'desc')
    .orderBy('seq', 'desc')
    .offset(most - 1)
    .limit(2)
    .execute();
  const [oldest, older] = rows;
  return oldest && older ? oldest.createTime.getTime() : null;
}

/** The facts of all points of a rule on one device, as they came. */
export function joinedFacts(
  { rule, place, staleMs }: { rule: ActiveRule; place: Place; staleMs: number },
  ofEach: readonly StoredFacts[],
): StoredFacts {
  const facts = ofEach
    .flatMap((each) => each.facts)
    .map(({ fact, now }) => ({ fact: { ...ofRule(rule, fact), staleMs }, now }))
    .toSorted(byArrival);
  return { place, facts };
}

const ofPlace = (q: Queries, tenantId: string, { place, span }: { place: Place; span: Span }) =>
  q
    .selectFrom('svc_point_value')
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', place.deviceId)
    .where('pointId', '=', place.pointId)
    .where('createTime', '>=', new Date(span.from))
    .where('createTime', '<=', new Date(span.to));

type Page = { place: Place; span: Span; last: Row | undefined };

const pageOf = (app: App, tenantId: string, { place, span, last }: Page): Promise<Row[]> =>
  inOneTrip(app.db, tenantId, (q) => {
    const to = last?.createTime.getTime() ?? span.to;
    let query = ofPlace(q, tenantId, { place, span: { from: span.from, to } })
      .select(['driverId', 'createTime', 'seq', 'rawValue', 'calValue', 'numValue', 'quality'])
      .select(['receiveTime', 'issue']);
    if (last)
      query = query.where(
        sql<boolean>`(create_time, seq) < (${last.createTime}::timestamptz, ${last.seq}::bigint)`,
      );
    return query.orderBy('createTime', 'desc').orderBy('seq', 'desc').limit(PAGE).execute();
  });

/** A value that was imported counts as one that came when it was measured. */
const arrivedOf = ({ deviceId, pointId, pointType }: Place, rows: readonly Row[]): Arrived[] =>
  rows.map(({ driverId, createTime, seq, receiveTime, issue, ...said }) => {
    const originTime = createTime.getTime();
    const now = issue === IMPORTED ? originTime : receiveTime.getTime();
    const value = { ...said, deviceId, pointId, pointType, originTime, seq: BigInt(seq) };
    return { fact: factOf(value, driverId, now), now };
  });

/** As they came, and within a batch as the evaluation sorts them. */
const byArrival = (a: Arrived, b: Arrived): number =>
  a.now - b.now || a.fact.at - b.fact.at || Number((a.fact.seq ?? 0n) - (b.fact.seq ?? 0n));
