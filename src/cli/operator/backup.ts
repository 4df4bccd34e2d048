import { createWriteStream, existsSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { dirname, join, relative, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { constants, createZstdCompress, createZstdDecompress } from 'node:zlib';

import { z } from 'zod';

import manifest from '../../../package.json' with { type: 'json' };
import { openEmbedded } from '../../db/embedded/engine.ts';
import { type OnlineBackup, reachBackup } from '../../db/embedded/online-backup.ts';
import { systemClock as clock } from '../../kernel/clock.ts';
import { type Config, ConfigError } from '../../kernel/process/config.ts';
import { createLog } from '../../kernel/process/log.ts';
import type { Composition } from '../../start/composition.ts';
import { entryOf, filesBelow } from './backup-files.ts';
import { archive, Damaged, type Entry, readArchive } from './tar.ts';

export const MANIFEST = 'manifest.json';
export const DATABASE = 'pg';
const LOG = 'pg/pg_wal';
const KEY = 'secrets/secret-key';

/** The first entry of a backup. */
export const Manifest = z.object({
  form: z.literal(1),
  platform: z.string(),
  /** The last one that was applied. */
  migration: z.string(),
  createTime: z.string(),
});

/**
 * `svc backup FILE`: the embedded database and the rest of the data folder in one file (tar, zstd), while the platform
 * runs or while it is stopped, and reads the file back.
 */
export async function backupCommand({ readSettings }: Composition, file: string): Promise<void> {
  const config = readSettings();
  const { dataDir } = config;
  demandEmbedded(config);
  const target = resolve(file);
  if (!relative(dataDir, target).startsWith('..'))
    throw new ConfigError(`the backup must not be in the data folder ${dataDir}`);
  if (existsSync(target)) throw new ConfigError(`${target} is there already`);
  if (!existsSync(join(dataDir, DATABASE, 'PG_VERSION')))
    throw new ConfigError(`there is no embedded database in ${dataDir}`);
  const unfinished = `${target}.part`;
  const source = await sourceOf(config);
  try {
    const packed = createZstdCompress({ params: { [constants.ZSTD_c_checksumFlag]: 1 } });
    const bytes = Readable.from(archive(entriesOf(dataDir, source)), { objectMode: false });
    await pipeline(bytes, packed, createWriteStream(unfinished, { flags: 'w', mode: 0o600 }));
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  } finally {
    await source.close();
  }
  const { migration, files, hasKey } = await read(unfinished);
  await synced(unfinished);
  await rename(unfinished, target);
  await synced(dirname(target));
  const { size } = await stat(target);
  const lines = [
    `${target}: ${files} files of ${dataDir} in ${Math.ceil(size / 1024 ** 2)} MB, migration ${migration}; read back, all checksums fit.`,
    hasKey
      ? 'The secret key is in it, and with it all secrets of the platform: keep the file as you keep the key.'
      : 'SVC_SECRET_KEY is not in it: keep that in another place; without it no stored secret can be opened.',
    ...outside(config).map((what) => `Not in it, because it is elsewhere: ${what}.`),
  ];
  process.stdout.write(`${lines.join('\n')}\n`);
}

/** Throws ConfigError where PostgreSQL has the data. */
export function demandEmbedded({ databaseUrl }: Pick<Config, 'databaseUrl'>): void {
  if (databaseUrl !== null)
    throw new ConfigError(
      'DATABASE_URL is set: the tools of PostgreSQL do this, docs/operations.md has the commands',
    );
}

/** The bytes of a backup; an error of its compression is `Damaged`. */
export async function* unpacked(file: string): AsyncGenerator<Buffer> {
  const opened = await open(file);
  const stored = opened.createReadStream();
  const bytes = createZstdDecompress();
  stored.on('error', (error) => bytes.destroy(error));
  try {
    yield* stored.pipe(bytes);
  } catch (error) {
    // Of the file system, not of the compression.
    if (error instanceof Error && 'syscall' in error) throw error;
    throw new Damaged('it is no backup, or it is damaged');
  } finally {
    stored.destroy();
  }
}

type Source = OnlineBackup & { close(): Promise<void> | void };

/** The process that has the database, or else the engine in this one. */
async function sourceOf({ dataDir, logLevel }: Config): Promise<Source> {
  const running = await reachBackup(dataDir);
  if (running) return running;
  const { backup, close } = await openEmbedded({ dataDir, clock, log: createLog(logLevel) });
  return { ...backup, close };
}

/** The files of the database before `end`, its log and all else after it. */
async function* entriesOf(dataDir: string, source: OnlineBackup): AsyncGenerator<Entry> {
  const { migration } = await source.begin();
  const createTime = new Date(clock.now()).toISOString();
  const { version: platform } = manifest;
  yield entryOf(MANIFEST, JSON.stringify({ form: 1, platform, migration, createTime }));
  yield* filesBelow(dataDir, DATABASE, (name) => name.startsWith(`${LOG}/`));
  yield entryOf(`${DATABASE}/backup_label`, await source.end());
  yield* filesBelow(dataDir, LOG);
  yield* filesBelow(dataDir, '.', (name) => name === DATABASE || name.startsWith(`${DATABASE}/`));
}

/** Reads all of it; throws `Damaged`. */
async function read(file: string) {
  let migration = '';
  let files = 0;
  let hasKey = false;
  await readArchive(unpacked(file), async ({ name, content }) => {
    const kept: Buffer[] = [];
    for await (const chunk of content) if (name === MANIFEST) kept.push(chunk);
    if (name === MANIFEST)
      ({ migration } = Manifest.parse(JSON.parse(Buffer.concat(kept).toString())));
    if (!name.endsWith('/')) files += 1;
    if (name === KEY) hasKey = true;
  });
  return { migration, files, hasKey };
}

/** Syncs a file, or the names in a folder. */
export async function synced(path: string): Promise<void> {
  const opened = await open(path, 'r');
  await opened.sync().finally(() => opened.close());
}

const outside = ({ dataDir, auditHead, agentic }: Config): string[] =>
  [
    ['attachments in', agentic.attachmentPath],
    ['heads of the audit logs,', auditHead],
  ].flatMap(([what = '', path = '']) =>
    relative(dataDir, resolve(path)).startsWith('..') ? [`${what} ${path}`] : [],
  );
