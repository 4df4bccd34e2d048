/** Run by a process of its own: links the sources of this tree into a few files for the next start. */
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { setPriority } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { build, type Plugin } from 'esbuild';

import { hasOwnPackages, isHeld, lineOf, type Linked, linkedOf, placeOf, ROOT } from './linked.ts';

/** Many files each, and read by every start. Others are found where they are. */
const TAKEN_IN = /^(kysely|zod|@modelcontextprotocol)(\/|$)/;
/** Marks the question of a plugin to the bundler itself. */
const RESOLVING = 'resolving';
const NICE = 10;

/** Sources keep their own addresses: they find files, threads and packages by them. */
const sources: Plugin = {
  name: 'sources',
  setup(bundler) {
    bundler.onLoad({ filter: /\.ts$/ }, async ({ path }) => ({
      loader: 'ts',
      contents: (await readFile(path, 'utf8'))
        .replaceAll(/import\.meta\.resolve\(\s*'([^']+)',?\s*\)/g, (_, name: string) =>
          JSON.stringify(import.meta.resolve(name)),
        )
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(path).href)),
    }));
    bundler.onResolve(
      { filter: /^[^./]/ },
      async ({ path, kind, importer, resolveDir, pluginData }) => {
        if (pluginData === RESOLVING || kind === 'entry-point' || TAKEN_IN.test(path)) return null;
        const found = await bundler.resolve(path, {
          kind,
          importer,
          resolveDir,
          pluginData: RESOLVING,
        });
        if (found.external || found.errors.length > 0) return found;
        return { path: pathToFileURL(found.path).href, external: true };
      },
    );
  },
};

/** Writes the linked program of this tree below `cache`, and removes those before the last one that no process runs. */
async function link(cache: string): Promise<void> {
  const { folder, list } = placeOf(cache);
  const { outputFiles, metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, 'src/cli/program.ts')],
    bundle: true,
    splitting: true,
    write: false,
    metafile: true,
    format: 'esm',
    platform: 'node',
    target: 'node26',
    conditions: [],
    charset: 'utf8',
    legalComments: 'none',
    logLevel: 'silent',
    outdir: '/',
    outExtension: { '.js': '.mjs' },
    tsconfigRaw: '{}',
    plugins: [sources],
  });
  const files = [...Object.keys(metafile.inputs), 'package-lock.json'].flatMap(
    (path): Linked | Linked[] => linkedOf(join(ROOT, path)) ?? [],
  );
  const lines = files.map(lineOf);
  const version = createHash('sha256').update(lines.join('\n')).digest('hex').slice(0, 16);
  const place = join(folder, version);
  await mkdir(place, { recursive: true });
  for (const { path, contents } of outputFiles)
    await writeFile(join(place, basename(path)), contents);
  const before = await readFile(list, 'utf8').catch(() => '');
  const temporary = `${list}.${process.pid}`;
  await writeFile(temporary, [join(place, 'program.mjs'), ...lines, ''].join('\n'));
  await rename(temporary, list);
  // A process that runs an earlier one loads parts of it at their first use; one that starts now may have read the list.
  const kept = [version, basename(dirname(before.split('\n')[0] ?? '')), basename(list)];
  for (const name of await readdir(folder)) {
    if (kept.includes(name) || isHeld(join(folder, name))) continue;
    await rm(join(folder, name), { recursive: true, force: true });
  }
}

setPriority(NICE);
const [, , cache] = process.argv;
if (cache && hasOwnPackages()) await link(cache);
