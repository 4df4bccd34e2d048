import { setImmediate } from 'node:timers/promises';

import { inOneTrip } from '../../db/tenant.ts';
import type { App, Operation } from '../../kernel/app/app.ts';
import { Unprocessable } from '../../kernel/errors.ts';
import { ValueType } from '../../manager/entity/value-type.ts';
import { hasClosed } from '../history/closed.ts';
import { columnsOf } from '../history/columns.ts';
import { type NamedPair, type Pair, type PairFacts, pairOf } from '../value/pair.ts';
import { MAX_AHEAD_MS } from '../value/stored-value.ts';
import { readingsIn, statesIn } from './closed-readings.ts';
import { type Digest, digestOf } from './digest.ts';
import { longestPause } from './find/gaps.ts';
import type { Sample } from './plot.ts';
import { MAX_STATES, textStatesOf } from './states.ts';
import { firstTime, newestTimes, readingsOf, type Span } from './stored.ts';
import type { Readings } from './wire.ts';

const MAX_SERIES = 10;
const MAX_DAYS = 31;
const DAY_MS = 86_400_000;
/** How far before a window its last value is looked for: a counter may be read once a day. */
const LEAD_MS = DAY_MS;
/** Values before a window that say how often they come, where the window has few; a longer one has enough. */
const PACE = { values: 13, ofWindowMs: DAY_MS / 2, within: { leastMs: DAY_MS / 12, windows: 12 } };

/** Where the values before a short window are looked for; null for a longer one. */
function paceSpan(from: number, to: number): Span | null {
  const { ofWindowMs, within } = PACE;
  if (to - from > ofWindowMs) return null;
  const spanMs = Math.min(DAY_MS, Math.max(within.leastMs, within.windows * (to - from)));
  return { from: from - spanMs, to: from - 1 };
}
const NO_TIMES = new Float64Array();

/** `from` and `to` in milliseconds since the epoch, both included; without `to`: up to the newest value. */
export type Digests = {
  /** At most ten. */
  pairs: readonly Pair[];
  from: number;
  to?: number | undefined;
  /** With the difference to the period of the same length before. */
  compare?: boolean;
  /** Values of each series that are wanted, even in time. */
  samples?: number;
  /** With the points of a line to draw. */
  plot?: boolean;
  /** With the figures of parts of the window: where each begins and the last ends, in ms. */
  edges?: readonly number[] | undefined;
};

/** Of the stored values of each pair in the window, in the order of the pairs; one trip. Throws as `pairOf`, and Unprocessable for a window that is empty or too long. */
export const digests: Operation<Digests, (NamedPair & Digest)[]> = async (
  app,
  { tenantId },
  given,
) => {
  const now = app.clock.now();
  const { from, to = now, compare, samples = 0 } = given;
  if (from >= to)
    throw new Unprocessable('The window is empty: from has to be before to, and in the past');
  if (to - from > MAX_DAYS * DAY_MS || given.pairs.length > MAX_SERIES)
    throw new Unprocessable(`At most ${MAX_SERIES} points and ${MAX_DAYS} days at once`);
  // The origin time of the newest value may be ahead of the platform's clock.
  const span = { from, to: given.to ?? now + MAX_AHEAD_MS };
  const before = compare ? { from: from - (to - from), to: from - 1 } : null;
  const { edges = [] } = given;
  const ahead = edges.length > 0 ? { from: from - LEAD_MS, to: from - 1 } : null;
  const pace = paceSpan(from, to);
  const hot = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all(
      given.pairs.map(async (pair) => {
        const [named, readings, texts, earlier, leading, times, first, hasClosedHours] =
          await Promise.all([
            pairOf(q, tenantId, pair),
            readingsOf(q, tenantId, pair, span),
            textStatesOf(q, tenantId, pair, span),
            before && readingsOf(q, tenantId, pair, before),
            ahead && readingsOf(q, tenantId, pair, ahead),
            pace ? newestTimes(q, tenantId, pair, { span: pace, most: PACE.values }) : NO_TIMES,
            firstTime(q, { tenantId, ...pair }),
            // Last: what is closed before is seen here, what is closed after is read above.
            hasClosed(
              q,
              { tenantId, ...pair },
              {
                ...span,
                from: Math.min(from, before?.from ?? from, ahead?.from ?? from),
              },
            ),
          ]);
        const lead = lastOf(leading);
        return { named, readings, texts, earlier, lead, before: times, first, hasClosedHours };
      }),
    ),
  );
  const asked = { from, to, now, samples, plot: given.plot ?? false, edges };
  const found: (NamedPair & Digest)[] = [];
  for (const { hasClosedHours, first, ...rows } of hot) {
    const { named, ...read } = hasClosedHours
      ? await withClosed(app, tenantId, rows.named, { span, before, ahead, pace })
      : rows;
    const oldest = isEmptyFrom(from, read.readings, named.facts) ? first : null;
    // A day of seconds takes some 15 ms: others have their turn between two points.
    await setImmediate();
    found.push({
      ...named.names,
      ...digestOf({ facts: named.facts, oldest, ...read }, { ...asked, unit: named.names.unit }),
    });
  }
  return found;
};

/** The last number of what was read before a window. */
function lastOf(readings: Readings | null): Sample | null {
  const { times, values } = readings?.series ?? {};
  const [time, value] = [times?.at(-1), values?.at(-1)];
  return time === undefined || value === undefined ? null : { time, value };
}

/** Whether a window begins with so long a time without a value that it may be before the first one. */
const isEmptyFrom = (from: number, { arrivals }: Readings, { intervalMs }: PairFacts): boolean =>
  (arrivals.from[0] ?? Infinity) - from > longestPause(arrivals, intervalMs);

const pairIn = ({ names: { deviceId, pointId } }: Named): Pair => ({ deviceId, pointId });

type Named = Awaited<ReturnType<typeof pairOf>>;

/** The same of a pair with closed hours in the window, or in the period before it. */
async function withClosed(
  app: App,
  tenantId: string,
  named: Named,
  { span, before, ahead, pace }: { span: Span } & Record<'before' | 'ahead' | 'pace', Span | null>,
) {
  const series = { tenantId, ...pairIn(named) };
  const withTexts = named.facts.pointTypeFlag === ValueType.STRING;
  const columns = await columnsOf(app, series, span, { withTexts });
  return {
    named,
    readings: readingsIn(columns, span),
    texts: withTexts ? statesIn(columns, MAX_STATES) : [],
    earlier: before && readingsIn(await columnsOf(app, series, before), before),
    lead: lastOf(ahead && readingsIn(await columnsOf(app, series, ahead), ahead)),
    before: pace
      ? (await columnsOf(app, series, pace)).at
          .slice(-PACE.values)
          .map((micros) => Math.floor(micros / 1_000))
      : NO_TIMES,
  };
}
