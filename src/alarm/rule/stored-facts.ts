import { sql } from 'kysely';

import { IMPORTED } from '../../data/value/value-import.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import { ofRule } from './points.ts';
import type { Arrived, Place } from './replay.ts';
import type { ActiveRule } from './rule-cache.ts';
import { factOf } from './value-fact.ts';

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

/** What was read of one place: its facts in the order in which they came, the newest `most` of the span. */
export type StoredFacts = {
  place: Place;
  facts: Arrived[];
  /** Values that were read. */
  values: number;
  /** The span that they cover: later than asked for where there are more values. */
  from: number;
  /** Why it does not cover the whole span. */
  cut: 'VALUES' | 'TIME' | null;
};

type Given = { place: Place; span: Span; most: number; isLate(): boolean };

/** The stored values of a place as the facts that rules saw, page by page, the newest first. */
export async function storedFacts(
  app: App,
  tenantId: string,
  { place, span, most, isLate }: Given,
): Promise<StoredFacts> {
  const facts: Arrived[] = [];
  let values = 0;
  let last: Row | undefined;
  let cut: StoredFacts['cut'] = null;
  for (;;) {
    if (values >= most) cut = 'VALUES';
    else if (last && isLate()) cut = 'TIME';
    if (cut) break;
    const limit = Math.min(PAGE, most - values);
    const page = await pageOf(app, tenantId, { place, span, limit, last });
    facts.push(...arrivedOf(place, page));
    values += page.length;
    last = page.at(-1) ?? last;
    if (page.length < limit) break;
  }
  const from = cut && last ? last.createTime.getTime() : span.from;
  return { place, facts: facts.toSorted(byArrival), values, from, cut };
}

/** The facts of all points of a rule on one device, as they came, from when on all of them are known. */
export function joinedFacts(
  { rule, place, staleMs }: { rule: ActiveRule; place: Place; staleMs: number },
  ofEach: readonly StoredFacts[],
): StoredFacts {
  const from = Math.max(...ofEach.map((each) => each.from));
  const facts = ofEach
    .flatMap((each) => each.facts)
    .map(({ fact, now }) => ({ fact: { ...ofRule(rule, fact), staleMs }, now }))
    .toSorted(byArrival);
  const values = ofEach.reduce((sum, each) => sum + each.values, 0);
  const cut = ofEach.map((each) => each.cut).find((each) => each !== null) ?? null;
  return { place, facts, values, from, cut };
}

type Page = { place: Place; span: Span; limit: number; last: Row | undefined };

const pageOf = (app: App, tenantId: string, { place, span, limit, last }: Page): Promise<Row[]> =>
  inOneTrip(app.db, tenantId, (q) => {
    let query = q
      .selectFrom('svc_point_value')
      .select(['driverId', 'createTime', 'seq', 'rawValue', 'calValue', 'numValue', 'quality'])
      .select(['receiveTime', 'issue'])
      .where('tenantId', '=', tenantId)
      .where('deviceId', '=', place.deviceId)
      .where('pointId', '=', place.pointId)
      .where('createTime', '>=', new Date(span.from))
      .where('createTime', '<=', new Date(last?.createTime ?? span.to));
    if (last)
      query = query.where(
        sql<boolean>`(create_time, seq) < (${last.createTime}::timestamptz, ${last.seq}::bigint)`,
      );
    return query.orderBy('createTime', 'desc').orderBy('seq', 'desc').limit(limit).execute();
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
