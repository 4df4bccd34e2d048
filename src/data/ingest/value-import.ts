import { setImmediate } from 'node:timers/promises';

import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { Quality } from '../../bus/topic/topics.ts';
import type { Queries } from '../../db/connect.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { App, Caller, Operation } from '../../kernel/app/app.ts';
import { demandDiskRoom } from '../../kernel/app/disk-room.ts';
import { AnswerId } from '../../kernel/entity/answer.ts';
import { BadRequest, Unprocessable } from '../../kernel/errors.ts';
import { csvRows } from '../../kernel/input/csv.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { localTime } from '../../kernel/input/local-time.ts';
import { Text } from '../../kernel/input/text.ts';
import { TimeZone, UTC } from '../../kernel/sentence/time-zone.ts';
import { quoted } from '../../kernel/sentence/voice.ts';
import { unknownOf } from '../history/late.ts';
import { IMPORTED } from '../value/imported.ts';
import { type StoredValue, storedValue } from '../value/stored-value.ts';
import { ValueInput } from '../value/value-input.ts';
import { beginImport, type Import, noteImported } from './import-record.ts';
import { factsOf, insertHistory } from './ingest.ts';

const MAX_IMPORT_BYTES = 20 * 1024 * 1024;
const MAX_VALUES = 20_000;
/** Earlier milliseconds are seconds that were meant. */
const EARLIEST_MS = Date.UTC(1980, 0);
/** Values per transaction; between slices other requests are served. */
const SLICE = 1_000;

/** ISO-8601 with an offset, or without one in the `timezone` of the import; in JSON milliseconds since the epoch too. */
const PastTime = z
  .union([z.number().int().min(EARLIEST_MS), Text(64)])
  .meta({ examples: ['2026-03-01T08:30:00Z'] });

const PastValue = z.object({
  deviceId: Id,
  pointId: Id,
  /** In the point's unit. */
  value: ValueInput,
  createTime: PastTime,
  /** Order within one millisecond; by default the order in the request. */
  seq: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
  /** That of the point, or empty. */
  unit: Text(32).optional(),
  /** Before scaling; as `value` unless it is given. */
  rawValue: ValueInput.optional(),
  /** GOOD unless it is given; BAD may have any value. */
  quality: z.enum(['GOOD', 'UNCERTAIN', 'BAD']).optional(),
});
type PastValue = z.infer<typeof PastValue>;
const REQUIRED = ['deviceId', 'pointId', 'value', 'createTime'];
/** `localTime` says what `createTime` does. */
const COLUMNS = [...REQUIRED, 'seq', 'unit', 'rawValue', 'quality', 'localTime'];

/** Up to the first that is wrong: of thousands of wrong values, each would get reasons that are not shown. */
function upToWrong(values: unknown): unknown {
  if (!Array.isArray(values)) return values;
  const wrong = values.findIndex((value) => !PastValue.safeParse(value).success);
  return wrong === -1 ? values : values.slice(0, wrong + 1);
}

/**
 * Either `csv` with the columns deviceId, pointId, value and createTime, and those of seq, unit, rawValue and quality that
 * there are, or `values`. A table of `point_value/export` is such a `csv`.
 */
export const ImportValues = input({
  csv: z.string().max(MAX_IMPORT_BYTES).optional(),
  values: z.preprocess(upToWrong, z.array(PastValue).max(MAX_VALUES)).optional(),
  timezone: TimeZone.optional().describe('Of times that have no offset'),
});
type ImportValues = z.infer<typeof ImportValues>;

export const Imported = z.object({
  importId: AnswerId.describe('By which it is undone; 0 without a value'),
  accepted: z.number().int(),
  stored: z.number().int().describe('New values; existing ones are unchanged'),
});
type Imported = z.output<typeof Imported>;

/**
 * Adds past values to the history of points; all are checked before the first is stored. Imports do not
 * change latest values and do not trigger rules or timers. Stored in slices; a repeated import stores nothing
 * twice, so an interrupted one can be repeated. What it stored can be undone as a whole (`undoImport`).
 */
export const importValues: Operation<ImportValues, Imported> = async (app, caller, given) => {
  const { tenantId } = caller;
  await demandDiskRoom(app);
  const now = app.clock.now();
  const past = {
    values: await valuesOf(given),
    isTable: given.csv !== undefined,
    zone: given.timezone,
  };
  const values = await checked(app, tenantId, past, now);
  let stored = 0;
  let begun: Import | null = null;
  for (const { driverId, slice } of slicesOf(values)) {
    const done = await inTenant(app.db, tenantId, async (q) => {
      const of = begun ?? (await begin(app, q, caller, values));
      const unknown = await unknownOf(q, tenantId, slice);
      const count = await insertHistory(q, { tenantId, driverId }, unknown, of.received);
      await noteImported(q, tenantId, of, { values: unknown, count });
      return { of, count };
    });
    begun = done.of;
    stored += done.count;
  }
  return { importId: begun?.id ?? '0', accepted: values.length, stored };
};

/** With its place in the audit. */
async function begin(
  app: App,
  q: Queries,
  caller: Caller,
  values: readonly Checked[],
): Promise<Import> {
  const { from, to } = spanOf(values);
  const begun = await beginImport(q, app, caller, { count: values.length, from, to });
  await audit(app, q, caller, {
    action: 'IMPORT',
    resourceType: 'point_value',
    resourceId: values[0]?.value.deviceId ?? '0',
    resourceName: 'past values',
    detail: { importId: begun.id, values: values.length, from: isoOf(from), to: isoOf(to) },
  });
  return begun;
}

const isoOf = (ms: number): string => new Date(ms).toISOString();

async function valuesOf({ csv, values }: ImportValues): Promise<PastValue[]> {
  if ((csv === undefined) === (values === undefined))
    throw new BadRequest('Send values, or a table (text/csv)');
  if (csv === undefined) return values ?? [];
  const read: PastValue[] = [];
  let titles: string[] | null = null;
  for await (const cells of csvRows(csv, MAX_VALUES + 1)) {
    if (!titles) {
      titles = expectTitles(cells);
      continue;
    }
    const row = Object.fromEntries(
      titles.flatMap((title, index) => (cells[index] ? [[title, cells[index]]] : [])),
    );
    const parsed = PastValue.safeParse({ value: '', ...row });
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      refuse(true, read.length, `${issue?.path.join('.')} ${issue?.message}`);
    }
    read.push(parsed.data);
  }
  if (!titles) expectTitles([]);
  return read;
}

function expectTitles(titles: string[]): string[] {
  const missing = REQUIRED.find((title) => !titles.includes(title));
  if (missing) throw new BadRequest(`The table has no column ${missing}`);
  const unknown = titles.find((title) => !COLUMNS.includes(title));
  if (unknown !== undefined)
    throw new Unprocessable(`There is no column ${JSON.stringify(unknown.slice(0, 64))}`);
  return titles;
}

/** Throws Unprocessable with the place of the wrong value; the titles of a table are row 1. */
function refuse(isTable: boolean, index: number, why: string): never {
  const place = isTable ? `Row ${index + 2}` : `values.${index}`;
  throw new Unprocessable(`${place}: ${why}`, isTable ? { row: index + 2 } : { index });
}

type Checked = { driverId: string; value: StoredValue };
type Past = { values: readonly PastValue[]; isTable: boolean; zone: string | undefined };

/** The values to store, ordered by key against deadlocks of two imports. */
async function checked(
  app: App,
  tenantId: string,
  { values: given, isTable, zone }: Past,
  now: number,
): Promise<Checked[]> {
  const pairs = new Map(given.map((one) => [`${one.deviceId}:${one.pointId}`, one]));
  const [facts, units] = await inOneTrip(app.db, tenantId, (q) =>
    Promise.all([
      factsOf(q, tenantId, [...pairs.values()]),
      unitsOf(
        q,
        tenantId,
        given.filter(({ unit }) => unit !== undefined),
      ),
    ]),
  );
  const seen = new Map<string, number>();
  const values: Checked[] = [];
  for (const [index, one] of given.entries()) {
    const { deviceId, pointId, value, seq, unit, rawValue = value, quality = 'GOOD' } = one;
    if (index % SLICE === SLICE - 1) await setImmediate();
    const fact = facts.get(`${deviceId}:${pointId}`);
    if (!fact) refuse(isTable, index, 'there is no such point of such a device');
    const at = timeOf(one.createTime, zone);
    if (at === null) refuse(isTable, index, NO_TIME);
    const known = units.get(pointId) ?? '';
    if (unit !== undefined && unit !== known)
      refuse(
        isTable,
        index,
        `the point has ${known === '' ? 'no unit' : quoted(known)}, not ${quoted(unit)}`,
      );
    const place = `${deviceId}:${pointId}:${at}`;
    const earlier = seen.get(place) ?? 0;
    seen.set(place, earlier + 1);
    const reported = { deviceId, pointId, rawValue, calValue: value, numValue: null };
    const stored = storedValue(
      { ...reported, originTime: at, seq: seq ?? earlier, quality: Quality[quality] },
      fact.type,
      now,
    );
    if (stored.quality === Quality.BAD && quality !== 'BAD')
      refuse(isTable, index, `the value must be a ${fact.type}`);
    if (stored.claimedTime !== null) refuse(isTable, index, 'createTime lies ahead');
    values.push({ driverId: fact.driverId, value: { ...stored, issue: IMPORTED } });
  }
  return values.toSorted((a, b) => compare(a.value, b.value));
}

const NO_TIME =
  'createTime expected a time such as 2026-03-01T08:30:00Z; one without an offset needs the timezone of the import';

/** In ms since the epoch; null for no time, and for one of no zone. */
function timeOf(given: PastValue['createTime'], zone: string | undefined): number | null {
  if (typeof given === 'number') return given;
  return zone === undefined && !HAS_OFFSET.test(given) ? null : localTime(given, zone ?? UTC);
}

const HAS_OFFSET = /T.*(?:Z|[+-]\d\d(?::?\d\d)?)$/i;

async function unitsOf(
  q: Queries,
  tenantId: string,
  given: readonly PastValue[],
): Promise<Map<string, string>> {
  const ids = [...new Set(given.map(({ pointId }) => pointId))];
  if (ids.length === 0) return new Map();
  const rows = await q
    .selectFrom('svc_point')
    .select(['id', 'unit'])
    .where('tenantId', '=', tenantId)
    .where((eb) => eb('id', '=', eb.fn.any(eb.val(ids))))
    .execute();
  return new Map(rows.map(({ id, unit }) => [id, unit ?? '']));
}

const compare = (a: StoredValue, b: StoredValue): number =>
  Number(BigInt(a.deviceId) - BigInt(b.deviceId)) ||
  Number(BigInt(a.pointId) - BigInt(b.pointId)) ||
  a.originTime - b.originTime ||
  a.seq - b.seq;

/** Slices of at most 1,000 values of one driver. */
function* slicesOf(
  values: readonly Checked[],
): Generator<{ driverId: string; slice: StoredValue[] }> {
  let slice: StoredValue[] = [];
  for (const [index, { driverId, value }] of values.entries()) {
    slice.push(value);
    if (slice.length < SLICE && values[index + 1]?.driverId === driverId) continue;
    yield { driverId, slice };
    slice = [];
  }
}

function spanOf(values: readonly Checked[]): { from: number; to: number } {
  let [from, to] = [Infinity, -Infinity];
  for (const { value } of values) {
    from = Math.min(from, value.originTime);
    to = Math.max(to, value.originTime);
  }
  return { from, to };
}
