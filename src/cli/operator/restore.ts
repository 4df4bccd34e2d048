import { createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

import type { z } from 'zod';

import manifest from '../../../package.json' with { type: 'json' };
import { syncTree } from '../../db/embedded/durable-fs.ts';
import { openEmbedded } from '../../db/embedded/engine.ts';
import { migrations } from '../../db/schema/applied.ts';
import { systemClock as clock } from '../../kernel/clock.ts';
import { ConfigError } from '../../kernel/process/config.ts';
import { createLog } from '../../kernel/process/log.ts';
import type { Composition } from '../../start/composition.ts';
import { DATABASE, demandEmbedded, MANIFEST, Manifest, synced, unpacked } from './backup.ts';
import { Damaged, type Entry, readArchive } from './tar.ts';

const UNFINISHED = '.restoring';

/**
 * `svc restore FILE`: a backup into the empty data folder. Its files are compared with their checksums and its database
 * is recovered and opened once before anything of it is in its place.
 */
export async function restoreCommand({ readSettings }: Composition, file: string): Promise<void> {
  const config = readSettings();
  const { dataDir, logLevel } = config;
  demandEmbedded(config);
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  if ((await readdir(dataDir)).length > 0)
    throw new ConfigError(`${dataDir} is not empty: a backup is restored into an empty folder`);
  const fresh = join(dataDir, UNFINISHED);
  await mkdir(fresh, { mode: 0o700 });
  try {
    const found = await extract(resolve(file), fresh);
    const engine = await openEmbedded({ dataDir: fresh, clock, log: createLog(logLevel) });
    try {
      const { migration } = await engine.backup.begin();
      await engine.backup.end();
      if (migration !== found.migration)
        throw new Damaged(`its database is of migration ${migration}, not ${found.migration}`);
    } finally {
      await engine.close();
    }
    syncTree(fresh);
    // The database last: what was interrupted before has none, and can be removed.
    const names = await readdir(fresh);
    for (const name of [...names.filter((each) => each !== DATABASE), DATABASE])
      await rename(join(fresh, name), join(dataDir, name));
    await rm(fresh, { recursive: true });
    await synced(dataDir);
    process.stdout.write(
      `${dataDir}: restored as of ${found.createTime}, migration ${found.migration}. Look at it with svc doctor, then start.\n`,
    );
  } catch (error) {
    await rm(fresh, { recursive: true, force: true });
    throw error instanceof Damaged
      ? new ConfigError(`${file} cannot be restored: ${error.message}`)
      : error;
  }
}

async function extract(file: string, folder: string): Promise<z.output<typeof Manifest>> {
  let found: z.output<typeof Manifest> | undefined;
  await readArchive(unpacked(file), async (entry) => {
    if (found) return store(folder, entry);
    if (entry.name !== MANIFEST) throw new Damaged('it is no backup of this platform');
    const bytes = Buffer.concat(await Array.fromAsync(entry.content));
    found = fitting(bytes.toString());
  });
  if (!found) throw new Damaged('it is empty');
  return found;
}

/** The manifest, where this version can work with the database. */
function fitting(text: string): z.output<typeof Manifest> {
  const { data } = Manifest.safeParse(JSON.parse(text));
  if (!data) throw new Damaged('another version made it, in a form that this one does not know');
  const newest = migrations().at(-1)?.name ?? '';
  if (data.migration > newest)
    throw new Damaged(
      `version ${data.platform} made it, with migration ${data.migration}; this is version ${manifest.version}, up to ${newest}`,
    );
  return data;
}

async function store(folder: string, { name, content }: Entry): Promise<void> {
  const path = join(folder, name);
  if (name.endsWith('/')) return void (await mkdir(path, { recursive: true, mode: 0o700 }));
  await mkdir(join(path, '..'), { recursive: true, mode: 0o700 });
  await pipeline(Readable.from(content), createWriteStream(path, { flags: 'wx', mode: 0o600 }));
}
