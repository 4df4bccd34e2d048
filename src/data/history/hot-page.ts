import { sql } from 'kysely';

import { inOneTrip } from '../../db/tenant.ts';
import type { App } from '../../kernel/app/app.ts';

export type Series = { tenantId: string; deviceId: string; pointId: string };
/** Of a value in the order of its series: microseconds since the epoch, and its sequence. */
export type Place = { at: number; seq: string };

const PAGE = 20_000;
/** Of a value: time, number, sequence and quality, as PostgreSQL sends them. */
const VALUE_BYTES = 26;
/** PostgreSQL counts from the year 2000. */
const EPOCH_MICROS = 946_684_800_000_000;

type Packed = { packed: string | null; texts: string[] | null };

/** Hot values in their order, packed: an answer of a row for each would take ten times as much. */
export class HotPage {
  static readonly none = new HotPage({ packed: null, texts: null });
  readonly count: number;
  readonly #bytes: Buffer;
  readonly #texts: readonly string[];

  constructor({ packed, texts }: Packed) {
    this.#bytes = Buffer.from(packed ?? '', 'base64');
    this.#texts = texts ?? [];
    this.count = this.#bytes.length / VALUE_BYTES;
  }

  /** Whether the span has no more. */
  get isLast(): boolean {
    return this.count < PAGE;
  }

  /** The place of its last value; it has to have one. */
  get last(): Place {
    return this.place(this.count - 1);
  }

  /** Microseconds since the epoch; Infinity behind the last value. */
  at(index: number): number {
    if (index >= this.count) return Infinity;
    return Number(this.#bytes.readBigInt64BE(index * VALUE_BYTES)) + EPOCH_MICROS;
  }

  /** NaN: none. */
  number(index: number): number {
    return this.#bytes.readDoubleBE(index * VALUE_BYTES + 8);
  }

  place(index: number): Place {
    const seq = this.#bytes.readBigInt64BE(index * VALUE_BYTES + 16).toString();
    return { at: this.at(index), seq };
  }

  quality(index: number): number {
    return this.#bytes.readInt16BE(index * VALUE_BYTES + 24);
  }

  text(index: number): string {
    return this.#texts[index] ?? '';
  }
}

/** The oldest hot values of a series in a span (ms, both included), or those behind a place. */
export async function hotPage(
  app: App,
  { tenantId, deviceId, pointId }: Series,
  { from, to }: { from: number; to: number },
  { beyond, withTexts }: { beyond: Place | null; withTexts: boolean },
): Promise<HotPage> {
  const further = beyond
    ? sql`and (create_time, seq) > (timestamptz 'epoch' + ${beyond.at}::float8 * interval '1 microsecond',
        ${beyond.seq}::bigint)`
    : sql``;
  const least = beyond ? Math.floor(beyond.at / 1_000) : from;
  const texts = withTexts ? sql`json_agg(cal_value order by create_time, seq)` : sql`null::json`;
  const { rows } = await inOneTrip(app.db, tenantId, (q) =>
    sql<Packed>`
      select encode(string_agg(timestamptz_send(create_time) || float8send(coalesce(num_value, 'NaN'))
          || int8send(seq) || int2send(quality), '' order by create_time, seq), 'base64') as packed,
        ${texts} as texts
      from (select create_time, seq, num_value, quality, cal_value from svc_point_value
        where tenant_id = ${tenantId} and device_id = ${deviceId} and point_id = ${pointId}
          and create_time between ${new Date(least)} and ${new Date(to)} ${further}
        order by create_time, seq limit ${PAGE}) read`.execute(q),
  );
  return new HotPage(rows[0] ?? { packed: null, texts: null });
}
