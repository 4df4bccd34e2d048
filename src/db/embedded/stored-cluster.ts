import fs from 'node:fs';
import { getCompileCacheDir } from 'node:module';
import path from 'node:path';
import { promisify } from 'node:util';
import { constants, zstdCompress, zstdDecompressSync } from 'node:zlib';

/** A directory, or a file with its size in bytes; below the root. */
type Entry = { name: string; size?: number };

const NAME = 'cluster-';
/** Quick, and with a checksum: a file that was cut off or damaged is refused as a whole. */
const COMPRESSION = {
  params: {
    [constants.ZSTD_c_compressionLevel]: 1,
    [constants.ZSTD_c_checksumFlag]: 1,
  },
};
const END_OF_ENTRIES = 0x0a;

const compress = promisify(zstdCompress);

/**
 * The files of a cluster that holds no data yet, kept for the next new directory: making them takes the engine two
 * seconds. They are as `initdb` left them, so no role has a password. Clusters made of them have the same system
 * identifier and nonce, which only replication and passwords over a network would use: the embedded engine has neither.
 */
export type StoredCluster = {
  /** Writes the files below `root`, which is empty; false when none are kept for this version of the engine. */
  copyTo(root: string): boolean;
  /** Reads the files below `root`, then keeps them in the background, in place of those of other versions. */
  keep(root: string): void;
};

/** In the folder of the compiled code (`main.ts`); undefined without one. */
export function storedCluster(): StoredCluster | undefined {
  const folder = getCompileCacheDir();
  if (!folder) return undefined;
  const name = `${NAME}${engineVersion()}`;
  return {
    copyTo(root) {
      const unpacked = read(path.join(folder, name));
      if (unpacked) write(root, unpacked);
      return unpacked !== undefined;
    },
    keep(root) {
      // It saves time and nothing else: without a place to write there is none.
      store(folder, name, pack(root)).catch(() => {});
    },
  };
}

function engineVersion(): string {
  const manifest = new URL('../package.json', import.meta.resolve('@electric-sql/pglite'));
  const { version }: { version: string } = JSON.parse(fs.readFileSync(manifest, 'utf8'));
  return version;
}

function read(file: string): Buffer | undefined {
  try {
    return zstdDecompressSync(fs.readFileSync(file));
  } catch {
    return undefined;
  }
}

function write(root: string, unpacked: Buffer): void {
  let at = unpacked.indexOf(END_OF_ENTRIES) + 1;
  const entries: Entry[] = JSON.parse(unpacked.toString('utf8', 0, at));
  for (const { name, size } of entries) {
    const target = path.join(root, name);
    if (size === undefined) fs.mkdirSync(target, { mode: 0o700 });
    else fs.writeFileSync(target, unpacked.subarray(at, (at += size)), { mode: 0o600 });
  }
}

function pack(root: string): Buffer {
  const contents: Buffer[] = [];
  const entries = fs
    .readdirSync(root, { recursive: true, withFileTypes: true })
    .map((entry): Entry => {
      const file = path.join(entry.parentPath, entry.name);
      const name = path.relative(root, file);
      if (!entry.isFile()) return { name };
      const content = fs.readFileSync(file);
      contents.push(content);
      return { name, size: content.length };
    });
  return Buffer.concat([Buffer.from(`${JSON.stringify(entries)}\n`), ...contents]);
}

async function store(folder: string, name: string, packed: Buffer): Promise<void> {
  const unfinished = path.join(folder, `${name}.${process.pid}`);
  await fs.promises.writeFile(unfinished, await compress(packed, COMPRESSION), { mode: 0o600 });
  await fs.promises.rename(unfinished, path.join(folder, name));
  for (const other of await fs.promises.readdir(folder))
    if (other.startsWith(NAME) && other !== name) await fs.promises.rm(path.join(folder, other));
}
