import { describe, expect, it } from 'vitest';

import { type Column, parquetOf } from '../../src/kernel/input/parquet.ts';
import { readParquet } from '../support/parquet/read.ts';

type Row = { at: Date; value: string; number: number | null; id: string };
const columns: readonly Column<Row>[] = [
  { name: 'at', kind: 'time', read: ({ at }) => at },
  { name: 'value', kind: 'text', read: ({ value }) => value },
  { name: 'number', kind: 'number', read: ({ number }) => number },
  { name: 'id', kind: 'integer', read: ({ id }) => id },
];

async function* batchesOf(rows: readonly Row[], size: number) {
  for (let from = 0; from < rows.length; from += size) yield rows.slice(from, from + size);
}
const written = async (rows: readonly Row[]) =>
  Buffer.concat(await Array.fromAsync(parquetOf(columns, batchesOf(rows, 1_700))));
const cellsOf = ({ at, value, number, id }: Row) => [String(at.getTime()), value, number, id];

describe('a Parquet file', () => {
  it.each([0, 1, 7, 8, 9, 25_000])('has %i rows as they were given', async (count) => {
    const rows = Array.from({ length: count }, (_, n) => ({
      at: new Date(Date.UTC(2026, 0, 1) + n * 500),
      value: n % 5 === 0 ? `Kälte ${n} 🌡` : String(n / 8),
      number: n % 5 === 0 ? null : n / 8,
      id: String(2n ** 62n + BigInt(n)),
    }));
    const { schema, groups, rows: read } = readParquet(await written(rows));
    expect(read).toEqual(rows.map(cellsOf));
    // Those that are kept until they are compressed.
    expect(groups).toBeLessThanOrEqual(Math.ceil(count / 10_000));
    expect(schema.map((element) => element.get(4))).toEqual(columns.map(({ name }) => name));
  });

  it('has numbers that no JSON has, empty texts, and no values at all', async () => {
    const at = new Date(-1);
    const rows = [NaN, Infinity, -0, null].map((number) => ({ at, value: '', number, id: '-1' }));
    expect(readParquet(await written(rows)).rows).toEqual(rows.map(cellsOf));
  });
});
