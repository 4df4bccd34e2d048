import { sql } from 'kysely';

import {
  hasClosed,
  hoursIn,
  hoursWith,
  merged,
  momentOf,
  openHour,
} from '../../../data/history/closed.ts';
import { inOneTrip } from '../../../db/tenant.ts';
import type { App } from '../../../kernel/app/app.ts';
import type { Place } from './replay.ts';
import { ofPlace, type Span } from './stored-facts.ts';

/**
 * When the oldest of the newest `most` values of each place was measured (ms); null where the span has no more. One trip,
 * but for places with closed hours.
 */
export async function oldestOf(
  app: App,
  tenantId: string,
  { places, span, most }: { places: readonly Place[]; span: Span; most: number },
): Promise<(number | null)[]> {
  const hot = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all(
      places.map(async (place) => {
        const [rows, hasClosedHours] = await Promise.all([
          ofPlace(q, tenantId, { place, span })
            .select('createTime')
            .orderBy('createTime', 'desc')
            .orderBy('seq', 'desc')
            .offset(most - 1)
            .limit(2)
            .execute(),
          hasClosed(q, { tenantId, ...place }, span),
        ]);
        return { place, rows, hasClosedHours };
      }),
    ),
  );
  const oldest: (number | null)[] = [];
  for (const { place, rows, hasClosedHours } of hot) {
    const [last, older] = rows;
    if (hasClosedHours) oldest.push(await oldestWithClosed(app, tenantId, { place, span, most }));
    else oldest.push(last && older ? last.createTime.getTime() : null);
  }
  return oldest;
}

async function oldestWithClosed(
  app: App,
  tenantId: string,
  { place, span, most }: { place: Place; span: Span; most: number },
): Promise<number | null> {
  const reach = { from: momentOf(span.from), to: momentOf(span.to) };
  const hot = { place, span };
  const hasMore = await inOneTrip(app.db, tenantId, async (q) => {
    const some = ofPlace(q, tenantId, hot)
      .select('seq')
      .limit(most + 1);
    const { rows: counts } = await sql<{ isMore: boolean }>`
      select (select count(*) from (${some}) hot) + (select coalesce(sum(h.value_count), 0)
        from ${hoursIn({ tenantId, ...place }, reach)}) > ${most}::integer as is_more`.execute(q);
    return counts[0]?.isMore ?? false;
  });
  // Counted without a look into the hours, which hold values of before and after the span too.
  if (!hasMore) return null;
  const [rows, { rows: hours }] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      ofPlace(q, tenantId, hot)
        .select(['createTime', 'seq'])
        .orderBy('createTime', 'desc')
        .orderBy('seq', 'desc')
        .limit(most + 1)
        .execute(),
      hoursWith({ tenantId, ...place }, reach, { most: most + 1, newestFirst: true }).execute(q),
    ]),
  );
  const closed = hours.flatMap((row) => {
    const hour = openHour(row);
    return Array.from(hour.at, (at, index) => ({ at, seq: hour.seq(index) }));
  });
  const isIn = ({ at }: { at: number }): boolean =>
    at >= span.from * 1_000 && at <= span.to * 1_000;
  const all = merged(
    closed.filter(isIn),
    rows.map(({ createTime, seq }) => ({ at: createTime.getTime() * 1_000, seq })),
  );
  const oldest = all.at(-most);
  return oldest && all.length > most ? Math.floor(oldest.at / 1_000) : null;
}
