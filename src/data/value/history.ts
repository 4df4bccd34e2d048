import { z } from 'zod';

import { inOneTrip } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { rowsOf } from '../history/rows.ts';
import { pairOf } from './pair.ts';
import { PointValue, valueOf } from './point-value.ts';
import { MAX_AHEAD_MS } from './stored-value.ts';

/** Default range without `from`: an unbounded query would read every partition. */
const DEFAULT_SPAN_MS = 30 * 86_400_000;

/** Position in a history: origin time (ms) and sequence, unique among the values of a point. */
type Cursor = { at: number; seq: string };
/** Within the range of timestamptz. */
const LATEST_TIME = Date.UTC(9999, 0);

export const Cursor = z
  .string()
  .regex(/^\d{1,15}\.\d{1,18}$/, 'must be the cursor of a value of the page before')
  .transform((text): Cursor => {
    const [at = '', seq = ''] = text.split('.');
    return { at: Math.min(Number(at), LATEST_TIME), seq };
  });

export const HistoryQuery = input({
  deviceId: Id,
  pointId: Id,
  count: z.coerce.number().int().min(1).max(500).default(100),
  from: Moment.optional(),
  to: Moment.optional(),
  /** Only values before this millisecond; `cursor` continues within a millisecond that a page cut. */
  before: Moment.optional(),
  /** `cursor` of the last value of the previous page. */
  cursor: Cursor.optional(),
});
type HistoryQuery = Omit<z.infer<typeof HistoryQuery>, 'count'> & { count?: number };

/** A stored value of a history. */
export const HistoryValue = PointValue.extend({
  ageS: z.number().int().describe('Seconds since it was measured'),
  cursor: z.string().meta({ description: 'Starts the next page', examples: ['1772353800000.0'] }),
}).meta({ id: 'HistoryValue' });
type HistoryValue = z.output<typeof HistoryValue>;

/** Newest first, at most `count` (1 to 500, default 100), of the last 30 days unless `from` is given. */
export const history: Operation<HistoryQuery, HistoryValue[]> = (app, { tenantId }, given) =>
  inOneTrip(app.db, tenantId, async (q) => {
    const { deviceId, pointId, cursor, before, count = 100 } = given;
    const to = given.to ?? app.clock.now() + MAX_AHEAD_MS;
    const end = Math.min(to, before ?? to, cursor?.at ?? to);
    const from = given.from ?? end - DEFAULT_SPAN_MS;
    const [, found] = await Promise.all([
      pairOf(q, tenantId, { deviceId, pointId }),
      rowsOf(
        q,
        { tenantId, deviceId, pointId },
        {
          from: Math.max(0, from),
          to: end,
          before,
          beyond: cursor,
          newestFirst: true,
          most: count,
        },
      ),
    ]);
    const now = app.clock.now();
    return found.map((row) => ({
      ...valueOf(row),
      ageS: Math.round(Math.max(0, now - row.createTime.getTime()) / 1000),
      cursor: `${row.createTime.getTime()}.${row.seq}`,
    }));
  });
