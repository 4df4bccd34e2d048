import { sql } from 'kysely';

import {
  type ClosedHour,
  hasClosed,
  hourColumns,
  hoursIn,
  momentOf,
} from '../../../data/history/closed.ts';
import type { Queries } from '../../../db/connect.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import { ofAll } from '../../condition/aggregate.ts';
import type { ActiveRule } from '../../condition/fact.ts';
import { hasPoints, ofRule } from '../../condition/points.ts';
import { ClosedPage, knownOf } from './closed-page.ts';
import { inOrder, type Packed, PackedPage, type Page, TEXT } from './packed-values.ts';
import type { Arrived, Place } from './replay.ts';

export type Span = { from: number; to: number };
/** Values read at a time. */
const PAGE = 10_000;

/** What was read of one place, in the order in which it came; each turn over the facts makes them anew. */
export type StoredFacts = { place: Place; count: number; facts: Iterable<Arrived> };

type Given = {
  place: Place;
  span: Span;
  /** Whether a rule compares what the device said, beside the value that became of it. */
  withRaw: boolean;
  /** Whether a rule compares the time at which a value was measured. */
  withTime: boolean;
  isLate(): boolean;
};

/** The stored values of a place as the facts that rules saw, page by page; null where the time does not suffice. */
export async function storedFacts(
  app: App,
  tenantId: string,
  { place, span, withRaw, withTime, isLate }: Given,
): Promise<StoredFacts | null> {
  const pages: Page[] = [];
  // The hot rows first: an hour that is closed meanwhile is in both then, and not in none.
  for (let last: Last | undefined; ;) {
    if (last && isLate()) return null;
    const { page, hasClosedHours } = await pageOf(app, tenantId, { place, span, withRaw, last });
    if (page) pages.push(page);
    if (page?.count === PAGE) {
      last = { at: page.measuredAt(page.count - 1), seq: page.seqAt(page.count - 1) };
      continue;
    }
    if (!hasClosedHours) return { place, ...inOrder(place, pages, withTime) };
    break;
  }
  const known = knownOf(pages);
  for (let to = span.to; ;) {
    if (isLate()) return null;
    const hours = await closedHours(app, tenantId, place, { from: span.from, to });
    for (const hour of hours) pages.push(new ClosedPage(hour, span, known));
    const oldest = hours.at(-1);
    if (!oldest || hours.length < HOURS) return { place, ...inOrder(place, pages, withTime) };
    to = oldest.start.getTime() - 1;
  }
}

/** The facts of all points of a rule on one device, as they came. */
export function joinedFacts(
  { rule, place, staleMs }: { rule: ActiveRule; place: Place; staleMs: number },
  ofEach: readonly StoredFacts[],
): StoredFacts {
  const [own] = ofEach;
  if (own && !hasPoints(rule.content)) return own;
  const count = ofEach.reduce((sum, each) => sum + each.count, 0);
  const facts = {
    *[Symbol.iterator](): Generator<Arrived> {
      for (const { fact, now } of merged(ofEach))
        yield { fact: { ...ofRule(rule, fact), staleMs }, now };
    },
  };
  return { place, count, facts };
}

/** The facts of all devices that a rule judges together, as they came; null of none. */
export function aggregatedFacts(
  rule: ActiveRule,
  ofEach: readonly (StoredFacts & { staleMs: number })[],
): StoredFacts | null {
  const [first] = ofEach;
  if (!first) return null;
  const staleOf = new Map(ofEach.map(({ place, staleMs }) => [place.deviceId, staleMs]));
  const count = ofEach.reduce((sum, each) => sum + each.count, 0);
  const facts = {
    *[Symbol.iterator](): Generator<Arrived> {
      for (const { fact, now } of merged(ofEach))
        yield { fact: { ...ofAll(rule, fact), staleMs: staleOf.get(fact.deviceId) ?? 0 }, now };
    },
  };
  return { place: { ...first.place, deviceId: '0', driverId: '0' }, count, facts };
}

/** The facts of several places, each in its order, in one. */
export function* merged(ofEach: readonly StoredFacts[]): Generator<Arrived> {
  const lines = ofEach.flatMap(({ facts }) => {
    const line = facts[Symbol.iterator]();
    const { value: head } = line.next();
    return head ? [{ line, head }] : [];
  });
  for (;;) {
    let [first] = lines;
    if (!first) return;
    for (const each of lines) if (byArrival(each.head, first.head) < 0) first = each;
    yield first.head;
    const { done, value } = first.line.next();
    if (done) lines.splice(lines.indexOf(first), 1);
    else first.head = value;
  }
}

/** The hot rows of a place in a span. */
export const ofPlace = (
  q: Queries,
  tenantId: string,
  { place, span }: { place: Place; span: Span },
) =>
  q
    .selectFrom('svc_point_value')
    .where('tenantId', '=', tenantId)
    .where('deviceId', '=', place.deviceId)
    .where('pointId', '=', place.pointId)
    .where('createTime', '>=', new Date(span.from))
    .where('createTime', '<=', new Date(span.to));

type Last = { at: number; seq: bigint };
type Asked = Pick<Given, 'place' | 'span' | 'withRaw'> & { last: Last | undefined };

/**
 * A page of values, newest first, packed: an answer of a row for each would take ten times as long. Rows that numbers do
 * not say whole come beside them as texts. Null of none.
 */
const pageOf = (
  app: App,
  tenantId: string,
  asked: Asked,
): Promise<{ page: PackedPage | null; hasClosedHours: boolean }> =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { place, span, withRaw, last } = asked;
    const to = last?.at ?? span.to;
    let query = ofPlace(q, tenantId, { place, span: { from: span.from, to } })
      .selectAll()
      .orderBy('createTime', 'desc')
      .orderBy('seq', 'desc')
      .limit(PAGE);
    if (last)
      query = query.where(
        sql<boolean>`(create_time, seq) < (${new Date(last.at)}::timestamptz, ${String(last.seq)}::bigint)`,
      );
    const packing = sql<Packed>`
      select encode(string_agg(timestamptz_send(create_time) || timestamptz_send(receive_time)
          || float8send(coalesce(num_value, 'NaN')) || int8send(seq)
          || int2send((quality + case when is_text then ${TEXT}::integer else 0 end)::smallint), ''), 'base64') as numbers,
        json_agg(json_build_object('cal', cal_value, 'raw', raw_value, 'issue', issue,
          'driver', driver_id::text)) filter (where is_text) as texts
      from (select *, num_value is null or cal_value <> num_value::text or strpos(cal_value, 'e') > 0
          or issue is not null or driver_id <> ${place.driverId} or ${withRaw} and raw_value <> cal_value as is_text
        from (${query}) read) placed`.execute(q);
    const [{ rows }, hasClosedHours] = await Promise.all([
      packing,
      hasClosed(q, { tenantId, ...place }, span),
    ]);
    const [packed] = rows;
    const page = packed?.numbers ? new PackedPage(packed.numbers, packed.texts ?? []) : null;
    return { page, hasClosedHours };
  });

/** Closed hours that are read at a time. */
const HOURS = 200;

/** The newest closed hours of a place in a span. */
const closedHours = (
  app: App,
  tenantId: string,
  place: Place,
  { from, to }: Span,
): Promise<ClosedHour[]> =>
  inOneTrip(app.db, tenantId, async (q) => {
    const reach = { from: momentOf(from), to: momentOf(to) };
    const { rows } = await sql<ClosedHour>`
      select ${hourColumns} from ${hoursIn({ tenantId, ...place }, reach)}
      order by h.start desc limit ${HOURS}`.execute(q);
    return rows;
  });

/** As they came, and within a batch as the evaluation sorts them. */
const byArrival = (a: Arrived, b: Arrived): number =>
  a.now - b.now || a.fact.at - b.fact.at || Number((a.fact.seq ?? 0n) - (b.fact.seq ?? 0n));
