import { sql } from 'kysely';

import { IMPORTED } from '../../data/value/value-import.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';
import type { ActiveRule } from '../condition/fact.ts';
import { hasPoints, ofRule } from '../condition/points.ts';
import { factOf } from '../condition/value-fact.ts';
import type { Arrived, Place } from './replay.ts';

type Span = { from: number; to: number };
/** Values read at a time. */
const PAGE = 10_000;

/** What was read of one place: its facts in the order in which they came. */
export type StoredFacts = { place: Place; facts: Arrived[] };

type Given = {
  place: Place;
  span: Span;
  /** Whether a rule compares what the device said, beside the value that became of it. */
  withRaw: boolean;
  isLate(): boolean;
};

/** The stored values of a place as the facts that rules saw, page by page; null where the time does not suffice. */
export async function storedFacts(
  app: App,
  tenantId: string,
  { place, span, withRaw, isLate }: Given,
): Promise<StoredFacts | null> {
  const facts: Arrived[] = [];
  let last: Measured | undefined;
  for (;;) {
    if (last && isLate()) return null;
    const page = await pageOf(app, tenantId, { place, span, withRaw, last });
    for (const value of page) facts.push(arrived(value));
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
  const [own] = ofEach;
  if (own && !hasPoints(rule.content)) return own;
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

type Page = Pick<Given, 'place' | 'span' | 'withRaw'> & { last: Measured | undefined };

/**
 * A page of values, newest first, as bytes: an answer of a row for each would take ten times as long. Rows that numbers do
 * not say whole come beside them as texts.
 */
const pageOf = (app: App, tenantId: string, page: Page): Promise<Measured[]> =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { place, span, withRaw, last } = page;
    const to = last?.originTime ?? span.to;
    let query = ofPlace(q, tenantId, { place, span: { from: span.from, to } })
      .selectAll()
      .orderBy('createTime', 'desc')
      .orderBy('seq', 'desc')
      .limit(PAGE);
    if (last)
      query = query.where(
        sql<boolean>`(create_time, seq) < (${new Date(last.originTime)}::timestamptz, ${String(last.seq)}::bigint)`,
      );
    const { rows } = await sql<Packed>`
      select string_agg(timestamptz_send(create_time), '') as measured,
        string_agg(timestamptz_send(receive_time), '') as received,
        string_agg(float8send(coalesce(num_value, 'NaN')), '') as numbers,
        string_agg(int8send(seq), '') as seqs, string_agg(int2send(quality), '') as qualities,
        json_agg(json_build_object('at', n, 'cal', cal_value, 'raw', raw_value, 'issue', issue,
          'driver', driver_id::text)) filter (where num_value is null or cal_value <> num_value::text
          or strpos(cal_value, 'e') > 0 or issue is not null or driver_id <> ${place.driverId}
          or ${withRaw} and raw_value <> cal_value) as texts
      from (select *, row_number() over () - 1 as n from (${query}) read) placed`.execute(q);
    const [packed] = rows;
    return packed ? measuredOf(place, packed) : [];
  });

/** Of a page, numbers of 8 bytes each, and of 2 the qualities; null of none. */
type Packed = Record<
  'measured' | 'received' | 'numbers' | 'seqs' | 'qualities',
  Uint8Array | null
> & { texts: Text[] | null };
/** What is not a plain number, by its place on the page. */
type Text = { at: number; cal: string; raw: string; issue: string | null; driver: string };

/** From the epoch to that of the times of the server (ms). */
const SERVER_EPOCH_MS = Date.UTC(2000, 0);

type Measured = Parameters<typeof factOf>[0] & { driverId: string; now: number };

const arrived = (value: Measured): Arrived => ({
  fact: factOf(value, value.driverId, value.now),
  now: value.now,
});

/** A value that was imported counts as one that came when it was measured. */
function measuredOf({ deviceId, pointId, driverId, pointType }: Place, page: Packed): Measured[] {
  const measured = viewOf(page.measured);
  const received = viewOf(page.received);
  const numbers = viewOf(page.numbers);
  const seqs = viewOf(page.seqs);
  const qualities = viewOf(page.qualities);
  const textAt = new Map(page.texts?.map((text) => [text.at, text]));
  return Array.from({ length: numbers.byteLength / 8 }, (_, index) => {
    const number = numbers.getFloat64(index * 8);
    const text = textAt.get(index);
    const calValue = text?.cal ?? String(number);
    const originTime = timeAt(measured, index);
    return {
      deviceId,
      pointId,
      pointType,
      calValue,
      numValue: Number.isNaN(number) ? null : number,
      rawValue: text?.raw ?? calValue,
      quality: qualities.getInt16(index * 2),
      originTime,
      seq: seqs.getBigInt64(index * 8),
      driverId: text?.driver ?? driverId,
      now: text?.issue === IMPORTED ? originTime : timeAt(received, index),
    };
  });
}

const viewOf = (bytes: Uint8Array | null): DataView =>
  bytes ? new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength) : NONE;
const NONE = new DataView(new ArrayBuffer(0));

/** In ms since the epoch. */
function timeAt(view: DataView, index: number): number {
  const micros = view.getInt32(index * 8) * 2 ** 32 + view.getUint32(index * 8 + 4);
  return SERVER_EPOCH_MS + Math.floor(micros / 1000);
}

/** As they came, and within a batch as the evaluation sorts them. */
const byArrival = (a: Arrived, b: Arrived): number =>
  a.now - b.now || a.fact.at - b.fact.at || Number((a.fact.seq ?? 0n) - (b.fact.seq ?? 0n));
