import { z } from 'zod';

import type { Queries } from '../../db/connect.ts';
import type { App } from '../../kernel/app/app.ts';
import { isSealed, seal, unseal } from '../../kernel/secret.ts';
import type { Row } from './rows.ts';

/** Rows and cells that one transaction applies: it must not hold up other requests for long. */
const MAX_ROWS = 50;
const MAX_CELLS = 500;
/** Slices per insert statement. */
const MAX_INSERTED = 100;

const Stored = z.array(
  z.object({
    row: z.number(),
    cells: z.array(z.tuple([z.string(), z.string()])),
    refused: z.object({ column: z.string(), reason: z.string() }).nullable(),
  }),
);

type Key = { tenantId: string; importId: string };

const placeOf = ({ tenantId, importId }: Key, slice: number) => ({
  table: 'svc_device_import_slice',
  tenantId,
  id: `${importId}:${slice}`,
});

/** Keeps the rows of an import until they are applied: sealed, since cells may be keys. */
export async function keepSlices(
  q: Queries,
  { keys }: Pick<App, 'keys'>,
  key: Key,
  rows: readonly Row[],
): Promise<void> {
  const slices = [...slicesOf(rows)].map((rowsOf, slice) => {
    const content = JSON.stringify(rowsOf.map((one) => ({ ...one, cells: [...one.cells] })));
    return { ...key, slice, content: seal(keys.attributeValue, placeOf(key, slice), content) };
  });
  for (let at = 0; at < slices.length; at += MAX_INSERTED)
    await q
      .insertInto('svc_device_import_slice')
      .values(slices.slice(at, at + MAX_INSERTED))
      .execute();
}

/** Takes the next slice out in this transaction; null when all are applied. */
export async function takeSlice(
  q: Queries,
  { keys }: Pick<App, 'keys'>,
  { tenantId, importId }: Key,
): Promise<Row[] | null> {
  const next = await q
    .selectFrom('svc_device_import_slice')
    .select(['slice', 'content'])
    .where('tenantId', '=', tenantId)
    .where('importId', '=', importId)
    .orderBy('slice')
    .limit(1)
    .executeTakeFirst();
  if (!next) return null;
  await q
    .deleteFrom('svc_device_import_slice')
    .where('tenantId', '=', tenantId)
    .where('importId', '=', importId)
    .where('slice', '=', next.slice)
    .execute();
  const { slice, content } = next;
  // A slice in clear is of an import from before slices were sealed.
  const text = isSealed(content)
    ? unseal(keys.attributeValue, placeOf({ tenantId, importId }, slice), content)
    : content;
  if (text === null) throw new Error('a slice of an import was sealed with another SVC_SECRET_KEY');
  return Stored.parse(JSON.parse(text)).map((one) => ({
    ...one,
    cells: new Map(one.cells),
  }));
}

function* slicesOf(rows: readonly Row[]): Generator<Row[]> {
  let slice: Row[] = [];
  let cells = 0;
  for (const row of rows) {
    slice.push(row);
    cells += row.cells.size;
    if (slice.length < MAX_ROWS && cells < MAX_CELLS) continue;
    yield slice;
    slice = [];
    cells = 0;
  }
  if (slice.length > 0) yield slice;
}
