import { createHash } from 'node:crypto';

/** An entry of an archive in the form ustar (POSIX.1-1988); a directory has no content. */
export type Entry = { name: string; size: number; content: AsyncIterable<Buffer> };

const BLOCK = 512;
const NAME_BYTES = 100;
const PREFIX_BYTES = 155;
const pad = (size: number): Buffer => Buffer.alloc((BLOCK - (size % BLOCK)) % BLOCK);

/** The last entry: a line of `sha256sum` for each file before it. */
const CHECKSUMS = 'checksums.sha256';

/** The bytes of an archive; its last entry is `CHECKSUMS`. Throws for a name that is too long for the form. */
export async function* archive(entries: AsyncIterable<Entry>): AsyncGenerator<Buffer> {
  let lines = '';
  for await (const { name, size, content } of entries) {
    yield headerOf(name, size);
    if (name.endsWith('/')) continue;
    const hash = createHash('sha256');
    for await (const chunk of content) {
      hash.update(chunk);
      yield chunk;
    }
    yield pad(size);
    lines += `${hash.digest('hex')}  ${name}\n`;
  }
  const text = Buffer.from(lines);
  yield headerOf(CHECKSUMS, text.length);
  yield Buffer.concat([text, pad(text.length), Buffer.alloc(2 * BLOCK)]);
}

function headerOf(name: string, size: number): Buffer {
  const [prefix, rest] = split(name);
  const isFolder = name.endsWith('/');
  const header = Buffer.alloc(BLOCK);
  header.write(rest, 0);
  header.write(isFolder ? '0000700\0' : '0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  header.write(`${size.toString(8).padStart(11, '0')}\0`, 124);
  header.write('00000000000\0', 136);
  header.write('        ', 148);
  header.write(isFolder ? '5' : '0', 156);
  header.write('ustar\u{0}00', 257);
  header.write(prefix, 345);
  header.write(`${sumOf(header).toString(8).padStart(6, '0')}\0 `, 148);
  return header;
}

const sumOf = (header: Buffer): number => header.reduce((sum, byte) => sum + byte, 0);

function split(name: string): [prefix: string, rest: string] {
  if (Buffer.byteLength(name) <= NAME_BYTES) return ['', name];
  for (let at = name.indexOf('/'); at > 0; at = name.indexOf('/', at + 1)) {
    const [prefix, rest] = [name.slice(0, at), name.slice(at + 1)];
    if (rest === '' || Buffer.byteLength(prefix) > PREFIX_BYTES) break;
    if (Buffer.byteLength(rest) <= NAME_BYTES) return [prefix, rest];
  }
  throw new Error(`the name ${name} is too long for a backup`);
}

/** The file is no archive, or it is cut off or changed. */
export class Damaged extends Error {
  override readonly name = 'Damaged';
}

/**
 * Hands each entry to `take`, which reads its content whole. Resolves when all files have the checksums that the last
 * entry names; throws `Damaged`.
 */
export async function readArchive(
  bytes: AsyncIterable<Buffer>,
  take: (entry: Entry) => Promise<void>,
): Promise<void> {
  const from = new Reader(bytes);
  let lines = '';
  for (;;) {
    const header = await from.exactly(BLOCK);
    const { name, size } = entryIn(header);
    if (name === CHECKSUMS) {
      if ((await from.exactly(size)).toString() !== lines)
        throw new Damaged('a file in it is not what was backed up');
      return;
    }
    const hash = createHash('sha256');
    await take({ name, size, content: hashed(from.upTo(size), hash) });
    if (name.endsWith('/')) continue;
    await from.exactly(pad(size).length);
    lines += `${hash.digest('hex')}  ${name}\n`;
  }
}

async function* hashed(
  content: AsyncIterable<Buffer>,
  hash: ReturnType<typeof createHash>,
): AsyncGenerator<Buffer> {
  for await (const chunk of content) {
    hash.update(chunk);
    yield chunk;
  }
}

function entryIn(header: Buffer): { name: string; size: number } {
  const text = (from: number, length: number): string =>
    header.toString('utf8', from, from + length).replace(/\0.*$/s, '');
  const stored = Number.parseInt(text(148, 8), 8);
  const blank = Buffer.from(header);
  blank.write('        ', 148);
  if (text(257, 5) !== 'ustar' || stored !== sumOf(blank)) throw new Damaged('it is no backup');
  const [prefix, rest] = [text(345, PREFIX_BYTES), text(0, NAME_BYTES)];
  const name = prefix ? `${prefix}/${rest}` : rest;
  const parts = name.replace(/\/$/, '').split('/');
  if (parts.some((part) => part === '' || part === '..' || part === '.' || part.includes('\\')))
    throw new Damaged('a name in it leads out of the folder');
  return { name, size: Number.parseInt(text(124, 12), 8) };
}

/** Takes bytes from chunks of any length. */
class Reader {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(bytes: AsyncIterable<Buffer>) {
    this.#chunks = bytes[Symbol.asyncIterator]();
  }

  async *upTo(size: number): AsyncGenerator<Buffer> {
    for (let left = size; left > 0;) {
      if (this.#rest.length === 0) {
        const { value, done } = await this.#chunks.next();
        if (done) throw new Damaged('it ends too early');
        this.#rest = value;
      }
      const part = this.#rest.subarray(0, left);
      this.#rest = this.#rest.subarray(part.length);
      left -= part.length;
      yield part;
    }
  }

  async exactly(size: number): Promise<Buffer> {
    return Buffer.concat(await Array.fromAsync(this.upTo(size)));
  }
}
