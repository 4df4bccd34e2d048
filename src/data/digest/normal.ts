import { inOneTrip } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { nameOf } from '../../kernel/input/flag.ts';
import { UTC } from '../../kernel/sentence/time-zone.ts';
import { slot } from '../../kernel/slot.ts';
import { TtlCache } from '../../kernel/ttl-cache.ts';
import { isNumeric, ValueType } from '../../manager/entity/value-type.ts';
import { hasClosed } from '../history/closed.ts';
import { columnsOf } from '../history/columns.ts';
import { type NamedPair, type Pair, pairOf } from '../value/pair.ts';
import { readingsIn } from './closed-readings.ts';
import { countedIn } from './find/counter.ts';
import { LEVELS } from './find/level.ts';
import { quantiles } from './find/order.ts';
import { at, type Series } from './find/series.ts';
import { decimalsOf } from './number-digest.ts';
import { MAX_VALUES, readingsOf, type Span } from './stored.ts';
import type { Readings } from './wire.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const MAX_DAYS = 30;
/** Fewer days, or fewer values, say nothing about what is normal. */
const MIN = { days: 3, values: 100, daysOfHour: 5, valuesOfHour: 30 };
/** An hour of the day gets its own range where that is less than this share of the range of all hours. */
const NARROWER = 0.7;

/** In what 90 % of the values were. */
export type Normal = {
  low: number;
  high: number;
  /** From the first of them to the last, in whole days. */
  days: number;
  /** It is of this hour of the day at the plant (0 to 23), which differs from the others; null: of all hours. */
  hour: number | null;
};

const KNOWN = slot((clock) => new TtlCache<Normal | 'unknown'>(clock, HOUR_MS, 5_000));

/**
 * The range in which 90 % of the numbers of a point were within the 30 days before `at` (ms; now): of the hour of the
 * day where that is much narrower. Of points with more than 100,000 values in 30 days, of fewer days, at least three.
 * Null where it is unknown: less than three days or 100 values, no numbers, a counter. Remembered for an hour. Throws as
 * `pairOf`.
 */
export const normalOf: Operation<Pair & { at?: number }, Normal | null> = async (
  app,
  caller,
  { deviceId, pointId, at: given },
) => {
  const moment = given ?? app.clock.now();
  const to = Math.floor(moment / HOUR_MS) * HOUR_MS;
  const { tenantId, timezone = UTC } = caller;
  // Of a zone that is not whole hours off the hour of the day changes within that of the clock.
  const hour = hourAt(timezone)(moment);
  const key = [tenantId, deviceId, pointId, to, hour, timezone].join(' ');
  const known = app.of(KNOWN).get(key);
  if (known !== undefined) return known === 'unknown' ? null : known;
  const found = await read(app, caller, { deviceId, pointId }, to);
  const normal = found && normalIn(found, hour, timezone);
  app.of(KNOWN).set(key, normal ?? 'unknown');
  return normal;
};

type Found = { readings: Readings; named: NamedPair; valueDecimal: number };

async function read(app: App, { tenantId }: Caller, pair: Pair, to: number): Promise<Found | null> {
  const { names, facts } = await inOneTrip(app.db, tenantId, (q) => pairOf(q, tenantId, pair));
  if (!isNumeric(nameOf(ValueType, facts.pointTypeFlag))) return null;
  const days = Math.floor((MAX_VALUES * facts.intervalMs) / DAY_MS);
  const span: Span = { from: to - Math.min(MAX_DAYS, Math.max(MIN.days + 1, days)) * DAY_MS, to };
  const [hot, isClosed] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      readingsOf(q, tenantId, pair, span),
      // Last: what is closed before is seen here, what is closed after is read above.
      hasClosed(q, { tenantId, ...pair }, span),
    ]),
  );
  const readings = isClosed
    ? readingsIn(await columnsOf(app, { tenantId, ...pair }, span, { withTexts: false }), span)
    : hot;
  return { readings, named: names, valueDecimal: facts.valueDecimal };
}

/** `hour`: of the day, in the zone as IANA names it. */
function normalIn({ readings, named, valueDecimal }: Found, hour: number, zone: string) {
  const { series, means } = readings;
  const { times, values } = series;
  const days = Math.floor((at(times, times.length - 1) - at(times, 0)) / DAY_MS);
  if (!(days >= MIN.days) || values.length < MIN.values) return null;
  if (countedIn(series, named.unit, null) !== null) return null;
  const decimals = Math.min(valueDecimal, decimalsOf(values), 6);
  const rounded = (value: number): number => Number(value.toFixed(decimals));
  // A long `series` holds only the extremes of each part of the time: quantiles are taken from `means` then.
  const all = rangeOf(means ?? values);
  const ofHour = means ? null : valuesOfHour(series, hour, zone);
  const narrow = ofHour && rangeOf(ofHour);
  const isNarrower = narrow !== null && narrow.high - narrow.low < NARROWER * (all.high - all.low);
  const { low, high } = isNarrower ? narrow : all;
  return { low: rounded(low), high: rounded(high), days, hour: isNarrower ? hour : null };
}

function rangeOf(values: Float64Array): { low: number; high: number } {
  const [low = NaN, , high = NaN] = quantiles(values, LEVELS);
  return { low, high };
}

/** Null of too few to say something about the hour. */
function valuesOfHour({ times, values }: Series, hour: number, zone: string): Float64Array | null {
  const local = hourAt(zone);
  const days = new Set<number>();
  const found = values.filter((_value, index) => {
    const time = at(times, index);
    if (local(time) !== hour) return false;
    days.add(Math.floor(time / DAY_MS));
    return true;
  });
  return days.size < MIN.daysOfHour || found.length < MIN.valuesOfHour ? null : found;
}

/** The hour of the day (0 to 23) in a zone; its offset is looked up once for each quarter of an hour, at which it may change. */
function hourAt(zone: string): (time: number) => number {
  const offsets = new Map<number, number>();
  return (time) => {
    const quarter = Math.floor(time / (HOUR_MS / 4)) * (HOUR_MS / 4);
    let offset = offsets.get(quarter);
    if (offset === undefined) {
      const there = Temporal.Instant.fromEpochMilliseconds(quarter).toZonedDateTimeISO(zone);
      offset = there.offsetNanoseconds / 1_000_000;
      offsets.set(quarter, offset);
    }
    return Math.floor(((time + offset) % DAY_MS) / HOUR_MS);
  };
}
