import { setImmediate } from 'node:timers/promises';

import { z } from 'zod';

import { audit } from '../../auth/audit/audit.ts';
import { Quality } from '../../bus/topics.ts';
import { inOneTrip, inTenant } from '../../db/tenant.ts';
import type { Operation } from '../../kernel/app/app.ts';
import { BadRequest, Unprocessable } from '../../kernel/errors.ts';
import { csvRows } from '../../kernel/input/csv.ts';
import { Id } from '../../kernel/input/id.ts';
import { input } from '../../kernel/input/input.ts';
import { Moment } from '../../kernel/input/moment.ts';
import { unknownOf } from '../history/late.ts';
import { factsOf, insertHistory } from './ingest.ts';
import { type StoredValue, storedValue } from './stored-value.ts';
import { ValueInput } from './value-input.ts';

const MAX_IMPORT_BYTES = 20 * 1024 * 1024;
const MAX_VALUES = 20_000;
/** Issue text of imported values, so that they are never taken for values of the device. */
export const IMPORTED = 'Imported as a past value';
/** Values per transaction; between slices other requests are served. */
const SLICE = 1_000;

const PastValue = z.object({
  deviceId: Id,
  pointId: Id,
  /** In the point's unit. */
  value: ValueInput,
  createTime: Moment,
  /** Order within one millisecond; by default the order in the request. */
  seq: z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER).optional(),
});
type PastValue = z.infer<typeof PastValue>;
const COLUMNS = ['deviceId', 'pointId', 'value', 'createTime', 'seq'] as const;
const REQUIRED = COLUMNS.filter((title) => title !== 'seq');

/** Up to the first that is wrong: of thousands of wrong values, each would get reasons that are not shown. */
function upToWrong(values: unknown): unknown {
  if (!Array.isArray(values)) return values;
  const wrong = values.findIndex((value) => !PastValue.safeParse(value).success);
  return wrong === -1 ? values : values.slice(0, wrong + 1);
}

/** Either `csv` with the columns deviceId, pointId, value, createTime and seq (optional), or `values`. */
export const ImportValues = input({
  csv: z.string().max(MAX_IMPORT_BYTES).optional(),
  values: z.preprocess(upToWrong, z.array(PastValue).max(MAX_VALUES)).optional(),
});
type ImportValues = z.infer<typeof ImportValues>;

export const Imported = z.object({
  accepted: z.number().int(),
  stored: z.number().int().describe('New values; existing ones are unchanged'),
});
type Imported = z.output<typeof Imported>;

/**
 * Adds past values to the history of points; all are checked before the first is stored. Imports do not
 * change latest values and do not trigger rules or timers. Stored in slices; a repeated import stores nothing
 * twice, so an interrupted one can be repeated.
 */
export const importValues: Operation<ImportValues, Imported> = async (app, caller, given) => {
  const { tenantId } = caller;
  const now = app.clock.now();
  const past = { values: await valuesOf(given), isTable: given.csv !== undefined };
  const values = await checked(app, tenantId, past, now);
  let stored = 0;
  for (const { driverId, slice } of slicesOf(values)) {
    stored += await inTenant(app.db, tenantId, async (q) => {
      if (slice[0] === values[0]?.value)
        await audit(app, q, caller, {
          action: 'IMPORT',
          resourceType: 'point_value',
          resourceId: slice[0]?.deviceId ?? '0',
          resourceName: 'past values',
          detail: { values: values.length, ...spanOf(values) },
        });
      return insertHistory(q, { tenantId, driverId }, await unknownOf(q, tenantId, slice), now);
    });
  }
  return { accepted: values.length, stored };
};

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
  const unknown = titles.find((title) => !COLUMNS.some((column) => column === title));
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

/** The values to store, ordered by key against deadlocks of two imports. */
async function checked(
  app: Parameters<typeof importValues>[0],
  tenantId: string,
  { values: given, isTable }: { values: readonly PastValue[]; isTable: boolean },
  now: number,
): Promise<Checked[]> {
  const pairs = new Map(given.map((one) => [`${one.deviceId}:${one.pointId}`, one]));
  const facts = await inOneTrip(app.db, tenantId, (q) => factsOf(q, tenantId, [...pairs.values()]));
  const seen = new Map<string, number>();
  const values: Checked[] = [];
  for (const [index, { deviceId, pointId, value, createTime, seq }] of given.entries()) {
    if (index % SLICE === SLICE - 1) await setImmediate();
    const fact = facts.get(`${deviceId}:${pointId}`);
    if (!fact) refuse(isTable, index, 'there is no such point of such a device');
    const place = `${deviceId}:${pointId}:${createTime}`;
    const earlier = seen.get(place) ?? 0;
    seen.set(place, earlier + 1);
    const reported = { deviceId, pointId, rawValue: value, calValue: value, numValue: null };
    const stored = storedValue(
      { ...reported, originTime: createTime, seq: seq ?? earlier, quality: Quality.GOOD },
      fact.type,
      now,
    );
    if (stored.quality === Quality.BAD) refuse(isTable, index, `the value must be a ${fact.type}`);
    if (stored.claimedTime !== null) refuse(isTable, index, 'createTime lies ahead');
    values.push({ driverId: fact.driverId, value: { ...stored, issue: IMPORTED } });
  }
  return values.toSorted((a, b) => compare(a.value, b.value));
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

function spanOf(values: readonly Checked[]): { from: string; to: string } {
  let [from, to] = [Infinity, -Infinity];
  for (const { value } of values) {
    from = Math.min(from, value.originTime);
    to = Math.max(to, value.originTime);
  }
  return { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
}
