import type { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { formatCsv, UTF8_MARK } from '../../kernel/input/csv.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { inZone, TimeZone } from '../../kernel/sentence/time-zone.ts';
import { rowsOf } from '../history/rows.ts';
import { type NamedPair, pairOf } from './pair.ts';
import { valueOf } from './point-value.ts';
import { MAX_AHEAD_MS } from './stored-value.ts';

const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 30 * DAY_MS;
const MAX_SPAN_MS = 366 * DAY_MS;
/** Values read at a time. */
const PAGE = 2_000;

export const ExportQuery = input({
  deviceId: Id,
  pointId: Id,
  from: Moment.optional(),
  to: Moment.optional(),
  timezone: TimeZone.describe('Adds a column with the local time there').optional(),
});
type ExportQuery = z.infer<typeof ExportQuery>;

/** An import takes a table with these columns. */
const TITLES = ['createTime', 'value', 'unit', 'rawValue', 'quality', 'deviceId', 'pointId'];
const LOCAL = 'localTime';

/** To the second, as spreadsheet programs read it; the offset is left out, which `createTime` needs none of. */
const localIn = (zone: string, at: string): string =>
  inZone(at, zone).slice(0, 19).replace('T', ' ');

/**
 * The values of a point over a span as a table (CSV), oldest first, page by page; of the last 30 days unless `from` is
 * given. Times are ISO-8601 in UTC, with a local one beside where a time zone is given. Throws NotFound, and BadRequest for more than 366 days.
 */
export const exportHistory: Operation<ExportQuery, AsyncIterable<string>> = async (
  app,
  { tenantId },
  given,
) => {
  const { deviceId, pointId, to = app.clock.now() + MAX_AHEAD_MS } = given;
  const from = given.from ?? Math.max(0, to - DEFAULT_SPAN_MS);
  if (to - from > MAX_SPAN_MS) throw new BadRequest('A table has at most 366 days');
  const { names } = await inOneTrip(app.db, tenantId, (q) =>
    pairOf(q, tenantId, { deviceId, pointId }),
  );
  return pages(app, tenantId, names, { from, to, zone: given.timezone });
};

async function* pages(
  app: App,
  tenantId: string,
  { deviceId, pointId, unit }: NamedPair,
  { from, to, zone }: { from: number; to: number; zone: string | undefined },
): AsyncGenerator<string> {
  yield UTF8_MARK + formatCsv([zone === undefined ? TITLES : [...TITLES, LOCAL]]);
  for (let after = { at: from, seq: '-1' }; ;) {
    const rows = await inOneTrip(app.db, tenantId, (q) =>
      rowsOf(
        q,
        { tenantId, deviceId, pointId },
        { from: after.at, to, beyond: after, newestFirst: false, most: PAGE },
      ),
    );
    yield formatCsv(
      rows
        .map(valueOf)
        .map((value) => [
          value.createTime,
          value.calValue,
          unit,
          value.rawValue,
          value.quality,
          deviceId,
          pointId,
          ...(zone === undefined ? [] : [localIn(zone, value.createTime)]),
        ]),
    );
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = { at: last.createTime.getTime(), seq: last.seq };
  }
}
