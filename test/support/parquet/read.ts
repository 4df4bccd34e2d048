import { zstdDecompressSync } from 'node:zlib';

/** A value of Thrift's compact protocol; a struct by the numbers of its fields. */
type Wire = number | boolean | string | Wire[] | Map<number, Wire>;
type Struct = Map<number, Wire>;
type Cell = string | number | null;

/** Reads what a writer of Parquet wrote, without any of its code (parquet.thrift of apache/parquet-format): PLAIN pages in zstd. */
export function readParquet(file: Buffer): { schema: Struct[]; groups: number; rows: Cell[][] } {
  if (
    file.toString('latin1', 0, 4) !== 'PAR1' ||
    file.toString('latin1', file.length - 4) !== 'PAR1'
  )
    throw new Error('the file does not begin and end with PAR1');
  const length = file.readUInt32LE(file.length - 8);
  const meta = new Thrift(file, file.length - 8 - length).struct();
  const [root, ...schema] = structs(meta.get(2));
  if (!root || numberIn(root, 5) !== schema.length) throw new Error('the root has other columns');
  const groups = structs(meta.get(4));
  const rows = groups.flatMap((group) => rowsOf(file, schema, group));
  if (rows.length !== numberIn(meta, 3)) throw new Error('the footer counts other rows');
  return { schema, groups: groups.length, rows };
}

function rowsOf(file: Buffer, schema: readonly Struct[], group: Struct): Cell[][] {
  const chunks = structs(group.get(1));
  const columns = chunks.map((chunk, index) => cellsOf(file, schema[index], chunk));
  const count = numberIn(group, 3);
  if (columns.some(({ length }) => length !== count)) throw new Error('a column has other rows');
  return Array.from({ length: count }, (_, row) => columns.map((column) => column[row] ?? null));
}

function cellsOf(file: Buffer, element: Struct | undefined, chunk: Struct): Cell[] {
  const meta = structIn(chunk, 3);
  const thrift = new Thrift(file, numberIn(meta, 9));
  const header = thrift.struct();
  const size = numberIn(header, 3);
  const plain = zstdDecompressSync(file.subarray(thrift.at, thrift.at + size));
  const headerSize = thrift.at - numberIn(meta, 9);
  if (plain.length !== numberIn(header, 2)) throw new Error('a page has another size');
  if (numberIn(meta, 6) !== headerSize + plain.length || numberIn(meta, 7) !== headerSize + size)
    throw new Error('a chunk has another size');
  if (!element) throw new Error('a chunk has no column');
  const count = numberIn(structIn(header, 5), 1);
  return plainCells(plain, { count, type: numberIn(element, 1), isOptional: element.get(3) === 1 });
}

type Plain = { count: number; type: number; isOptional: boolean };

function plainCells(page: Buffer, { count, type, isOptional }: Plain): Cell[] {
  let at = 0;
  let isPresent: (row: number) => boolean = () => true;
  if (isOptional) {
    const length = page.readUInt32LE(0);
    const runs = new Thrift(page, 4);
    const head = runs.varint();
    if (head % 2 !== 1 || Math.floor(head / 2) * 8 < count) throw new Error('no run of bits');
    const from = runs.at;
    isPresent = (row) => (((page[from + Math.floor(row / 8)] ?? 0) >> (row % 8)) & 1) === 1;
    at = 4 + length;
  }
  const read = (): Cell => {
    if (type === 6) {
      const length = page.readUInt32LE(at);
      at += 4 + length;
      return page.toString('utf8', at - length, at);
    }
    at += 8;
    return type === 5 ? page.readDoubleLE(at - 8) : String(page.readBigInt64LE(at - 8));
  };
  const cells = Array.from({ length: count }, (_, row) => (isPresent(row) ? read() : null));
  if (at !== page.length) throw new Error('a page has bytes behind its values');
  return cells;
}

const structs = (wire: Wire | undefined): Struct[] =>
  Array.isArray(wire) ? wire.filter((each) => each instanceof Map) : [];

function structIn(of: Struct, field: number): Struct {
  const wire = of.get(field);
  if (!(wire instanceof Map)) throw new Error(`field ${field} is no struct`);
  return wire;
}

function numberIn(of: Struct, field: number): number {
  const wire = of.get(field);
  if (typeof wire !== 'number') throw new Error(`field ${field} is no number`);
  return wire;
}

class Thrift {
  readonly #bytes: Buffer;
  at: number;

  constructor(bytes: Buffer, at: number) {
    this.#bytes = bytes;
    this.at = at;
  }

  varint(): number {
    let [number, scale] = [0, 1];
    for (;;) {
      const byte = this.#bytes[this.at++] ?? 0;
      number += (byte % 128) * scale;
      if (byte < 128) return number;
      scale *= 128;
    }
  }

  struct(): Struct {
    const fields: Struct = new Map();
    let field = 0;
    for (;;) {
      const head = this.#bytes[this.at++] ?? 0;
      if (head === 0) return fields;
      field = head >> 4 === 0 ? this.#signed() : field + (head >> 4);
      fields.set(field, this.#value(head & 15));
    }
  }

  #signed(): number {
    const number = this.varint();
    return number % 2 === 0 ? number / 2 : -(number + 1) / 2;
  }

  #value(type: number): Wire {
    if (type === 1 || type === 2) return type === 1;
    if (type >= 4 && type <= 6) return this.#signed();
    if (type === 12) return this.struct();
    if (type === 8) {
      const length = this.varint();
      this.at += length;
      return this.#bytes.toString('utf8', this.at - length, this.at);
    }
    if (type !== 9) throw new Error(`type ${type} of Thrift is not read here`);
    const head = this.#bytes[this.at++] ?? 0;
    const count = head >> 4 === 15 ? this.varint() : head >> 4;
    return Array.from({ length: count }, () => this.#value(head & 15));
  }
}
