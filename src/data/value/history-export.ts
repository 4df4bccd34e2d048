import type { z } from 'zod';

import { Quality } from '../../bus/topic/topics.ts';
import { inOneTrip } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import type { FilePiece } from '../../kernel/app/route.ts';
import { BadRequest } from '../../kernel/errors.ts';
import { formatCsv, UTF8_MARK } from '../../kernel/input/csv.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { type Column, parquetOf } from '../../kernel/input/parquet.ts';
import { inZone, TimeZone } from '../../kernel/sentence/time-zone.ts';
import { rowsOf, type ValueRow } from '../history/rows.ts';
import { type NamedPair, pairOf } from './pair.ts';
import { valueOf } from './point-value.ts';
import { MAX_AHEAD_MS } from './stored-value.ts';

const DAY_MS = 86_400_000;
const DEFAULT_SPAN_MS = 30 * DAY_MS;
const MAX_SPAN_MS = 366 * DAY_MS;
/** Values read at a time. */
const PAGE = 2_000;

const span = {
  deviceId: Id,
  pointId: Id,
  from: Moment.optional(),
  to: Moment.optional(),
};

export const ParquetQuery = input(span);
type ParquetQuery = z.infer<typeof ParquetQuery>;

export const ExportQuery = input({
  ...span,
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
  return tableOf(await exportedOf(app, tenantId, given), given.timezone);
};

/** The same as a Parquet file: a column for each fact of a value, those that the table leaves out included. */
export const exportParquet: Operation<ParquetQuery, AsyncIterable<FilePiece>> = async (
  app,
  { tenantId },
  given,
) => fileOf(await exportedOf(app, tenantId, given));

type Exported = { names: NamedPair; pages: AsyncIterable<readonly ValueRow[]> };

async function exportedOf(app: App, tenantId: string, given: ParquetQuery): Promise<Exported> {
  const { to = app.clock.now() + MAX_AHEAD_MS } = given;
  const from = given.from ?? Math.max(0, to - DEFAULT_SPAN_MS);
  if (to - from > MAX_SPAN_MS) throw new BadRequest('A table has at most 366 days');
  const { names } = await inOneTrip(app.db, tenantId, (q) => pairOf(q, tenantId, given));
  return { names, pages: pagesOf(app, tenantId, names, { from, to }) };
}

async function* tableOf(
  { names: { deviceId, pointId, unit }, pages }: Exported,
  zone: string | undefined,
): AsyncGenerator<string> {
  yield UTF8_MARK + formatCsv([zone === undefined ? TITLES : [...TITLES, LOCAL]]);
  for await (const rows of pages)
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
}

async function* fileOf({ names, pages }: Exported): AsyncGenerator<FilePiece> {
  const { unit } = names;
  const columns: readonly Column<ValueRow>[] = [
    { name: 'createTime', kind: 'time', read: ({ createTime }) => createTime },
    { name: 'value', kind: 'text', read: ({ calValue }) => calValue },
    { name: 'number', kind: 'number', read: ({ numValue }) => numValue },
    { name: 'unit', kind: 'text', read: () => unit },
    { name: 'rawValue', kind: 'text', read: ({ rawValue }) => rawValue },
    { name: 'quality', kind: 'text', read: ({ quality }) => nameOf(Quality, quality) },
    { name: 'seq', kind: 'integer', read: ({ seq }) => seq },
    { name: 'receiveTime', kind: 'time', read: ({ receiveTime }) => receiveTime },
    { name: 'deviceId', kind: 'integer', read: ({ deviceId }) => deviceId },
    { name: 'pointId', kind: 'integer', read: ({ pointId }) => pointId },
  ];
  let texts = new Set([unit]);
  async function* noted(): AsyncGenerator<readonly ValueRow[]> {
    for await (const rows of pages) {
      for (const { calValue, rawValue } of rows) texts.add(calValue).add(rawValue);
      yield rows;
    }
  }
  for await (const bytes of parquetOf(columns, noted())) {
    yield { bytes, texts: [...texts] };
    texts = new Set();
  }
}

async function* pagesOf(
  app: App,
  tenantId: string,
  { deviceId, pointId }: NamedPair,
  { from, to }: { from: number; to: number },
): AsyncGenerator<readonly ValueRow[]> {
  for (let after = { at: from, seq: '-1' }; ;) {
    const rows = await inOneTrip(app.db, tenantId, (q) =>
      rowsOf(
        q,
        { tenantId, deviceId, pointId },
        { from: after.at, to, beyond: after, newestFirst: false, most: PAGE },
      ),
    );
    yield rows;
    const last = rows.at(-1);
    if (!last || rows.length < PAGE) return;
    after = { at: last.createTime.getTime(), seq: last.seq };
  }
}
