import { promisify } from 'node:util';
import { zstdCompress } from 'node:zlib';

/** A column and how it is read of a row. `integer`: decimal text of 64 bits; a `number` may be absent. */
export type Column<R> = { name: string } & (
  | { kind: 'text'; read(row: R): string }
  | { kind: 'integer'; read(row: R): string }
  | { kind: 'time'; read(row: R): Date }
  | { kind: 'number'; read(row: R): number | null }
);

const compress = promisify(zstdCompress);

/** Rows that are compressed together, and kept until they are; fewer where their texts are long. */
const ROWS_OF_GROUP = 10_000;
const CHARACTERS_OF_GROUP = 4_000_000;
const MAGIC = Buffer.from('PAR1');
const MADE_BY = 'device-data-platform';

/** Enumerations of parquet.thrift. */
const Physical = { INT64: 2, DOUBLE: 5, BYTE_ARRAY: 6 } as const;
const Repetition = { REQUIRED: 0, OPTIONAL: 1 } as const;
const Converted = { UTF8: 0, TIMESTAMP_MILLIS: 9 } as const;
const Encoding = { PLAIN: 0, RLE: 3 } as const;
const ZSTD = 6;
const DATA_PAGE = 0;

/**
 * Rows as an Apache Parquet file, piece by piece: one data page of each column in a group of at most 10,000 rows, PLAIN, in
 * zstd. Times are milliseconds in UTC.
 */
export async function* parquetOf<R>(
  columns: readonly Column<R>[],
  batches: AsyncIterable<readonly R[]>,
): AsyncGenerator<Buffer> {
  yield MAGIC;
  let at = MAGIC.length;
  let count = 0;
  const groups: Wire[] = [];
  for await (const rows of grouped(columns, batches)) {
    const { bytes, meta } = await groupOf(columns, rows, at);
    groups.push(meta);
    at += bytes.length;
    count += rows.length;
    yield bytes;
  }
  const footer = struct({
    1: int(1),
    2: list([struct({ 4: text('schema'), 5: int(columns.length) }), ...columns.map(elementOf)]),
    3: long(count),
    4: list(groups),
    6: text(MADE_BY),
  }).bytes;
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  yield Buffer.concat([footer, length, MAGIC]);
}

async function* grouped<R>(
  columns: readonly Column<R>[],
  batches: AsyncIterable<readonly R[]>,
): AsyncGenerator<readonly R[]> {
  const texts = columns.filter((column) => column.kind === 'text');
  let group: R[] = [];
  let characters = 0;
  for await (const rows of batches)
    for (const row of rows) {
      group.push(row);
      for (const { read } of texts) characters += read(row).length;
      if (group.length < ROWS_OF_GROUP && characters < CHARACTERS_OF_GROUP) continue;
      yield group;
      group = [];
      characters = 0;
    }
  if (group.length > 0) yield group;
}

type Group = { bytes: Buffer; meta: Wire };

async function groupOf<R>(
  columns: readonly Column<R>[],
  rows: readonly R[],
  start: number,
): Promise<Group> {
  const pieces: Buffer[] = [];
  const chunks: Wire[] = [];
  let [at, plain] = [start, 0];
  for (const column of columns) {
    const page = pageOf(column, rows);
    const compressed = await compress(page);
    const header = struct({
      1: int(DATA_PAGE),
      2: int(page.length),
      3: int(compressed.length),
      5: struct({
        1: int(rows.length),
        2: int(Encoding.PLAIN),
        3: int(Encoding.RLE),
        4: int(Encoding.RLE),
      }),
    }).bytes;
    pieces.push(header, compressed);
    const meta = struct({
      1: int(physicalOf(column)),
      2: list([int(Encoding.PLAIN), int(Encoding.RLE)]),
      3: list([text(column.name)]),
      4: int(ZSTD),
      5: long(rows.length),
      6: long(header.length + page.length),
      7: long(header.length + compressed.length),
      9: long(at),
    });
    chunks.push(struct({ 2: long(at), 3: meta }));
    at += header.length + compressed.length;
    plain += header.length + page.length;
  }
  const meta = struct({ 1: list(chunks), 2: long(plain), 3: long(rows.length) });
  return { bytes: Buffer.concat(pieces), meta };
}

function physicalOf<R>({ kind }: Column<R>): number {
  if (kind === 'text') return Physical.BYTE_ARRAY;
  return kind === 'number' ? Physical.DOUBLE : Physical.INT64;
}

/** A SchemaElement: its converted type is for readers that know no logical one. */
function elementOf<R>(column: Column<R>): Wire {
  const { name, kind } = column;
  return struct({
    1: int(physicalOf(column)),
    3: int(kind === 'number' ? Repetition.OPTIONAL : Repetition.REQUIRED),
    4: text(name),
    ...(kind === 'text' && { 6: int(Converted.UTF8), 10: struct({ 1: struct({}) }) }),
    ...(kind === 'time' && {
      6: int(Converted.TIMESTAMP_MILLIS),
      10: struct({ 8: struct({ 1: YES, 2: struct({ 1: struct({}) }) }) }),
    }),
  });
}

/** The values of a column; before those of an optional one, which rows have a value. */
function pageOf<R>(column: Column<R>, rows: readonly R[]): Buffer {
  if (column.kind === 'text') return textsOf(rows.map((row) => column.read(row)));
  if (column.kind === 'integer') return integersOf(rows.map((row) => BigInt(column.read(row))));
  if (column.kind === 'time')
    return integersOf(rows.map((row) => BigInt(column.read(row).getTime())));
  const numbers = rows.map((row) => column.read(row));
  const present = numbers.filter((number) => number !== null);
  const bytes = Buffer.allocUnsafe(present.length * 8);
  for (const [index, number] of present.entries()) bytes.writeDoubleLE(number, index * 8);
  return Buffer.concat([levelsOf(numbers), bytes]);
}

function textsOf(texts: readonly string[]): Buffer {
  const lengths = texts.map((each) => Buffer.byteLength(each));
  const bytes = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + length, 0));
  let at = 0;
  for (const [index, each] of texts.entries()) {
    at = bytes.writeUInt32LE(lengths[index] ?? 0, at);
    at += bytes.write(each, at);
  }
  return bytes;
}

function integersOf(integers: readonly bigint[]): Buffer {
  const bytes = Buffer.allocUnsafe(integers.length * 8);
  for (const [index, integer] of integers.entries()) bytes.writeBigInt64LE(integer, index * 8);
  return bytes;
}

/** Definition levels: one run of bits, the lowest first, with its length before it. */
function levelsOf(values: readonly unknown[]): Buffer {
  const groups = Math.ceil(values.length / 8);
  const bits = Buffer.alloc(groups);
  for (const [index, value] of values.entries())
    if (value !== null) bits[index >>> 3] = (bits[index >>> 3] ?? 0) | (1 << (index & 7));
  const run = Buffer.concat([varint(groups * 2 + 1), bits]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(run.length);
  return Buffer.concat([length, run]);
}

/** A value of Thrift's compact protocol: the number of its type, and its bytes. */
type Wire = { type: number; bytes: Buffer };

/** As a field; its type says all. */
const YES: Wire = { type: 1, bytes: Buffer.alloc(0) };

/** Not negative, below 2^53. */
function varint(number: number): Buffer {
  const bytes: number[] = [];
  let rest = number;
  for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) bytes.push((rest % 0x80) | 0x80);
  return Buffer.from([...bytes, rest]);
}

const int = (number: number): Wire => ({ type: 5, bytes: varint(number * 2) });
const long = (number: number): Wire => ({ type: 6, bytes: varint(number * 2) });

function text(given: string): Wire {
  const bytes = Buffer.from(given);
  return { type: 8, bytes: Buffer.concat([varint(bytes.length), bytes]) };
}

/** Of values of one type, at least one unless they are structs. */
function list(items: readonly Wire[]): Wire {
  const type = items[0]?.type ?? 12;
  const head =
    items.length < 15
      ? Buffer.of((items.length << 4) | type)
      : Buffer.concat([Buffer.of(0xf0 | type), varint(items.length)]);
  return { type: 9, bytes: Buffer.concat([head, ...items.map(({ bytes }) => bytes)]) };
}

/** By the numbers of its fields, which are at most 15 apart. */
function struct(fields: Record<number, Wire>): Wire {
  const pieces: Buffer[] = [];
  let before = 0;
  for (const [name, { type, bytes }] of Object.entries(fields)) {
    pieces.push(Buffer.of(((Number(name) - before) << 4) | type), bytes);
    before = Number(name);
  }
  return { type: 12, bytes: Buffer.concat([...pieces, Buffer.of(0)]) };
}
