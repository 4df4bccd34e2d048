import { createHash } from 'node:crypto';
import { basename } from 'node:path';

import type { Metafile } from 'esbuild';

/** Browser code in one text. */
export type Bundle = {
  text: string;
  /** SHA-256 of the text in base64: names it in a policy of the page or in an address. */
  hash: string;
  /** Names of the others that it needs before it runs. */
  imports: readonly string[];
};

type Given = {
  /** Modules that share parts and load others when they are needed, each part under a name of its contents. */
  isSplit?: boolean;
};

let turn: Promise<unknown> = Promise.resolve();

/**
 * Bundles entries (paths of .ts, .tsx and .css files) into memory, each by itself, under their names without a folder.
 * The same sources give the same bytes. One build at a time: the bundler is a separate process, which ends after it.
 */
export function bundle(
  entries: readonly string[],
  given: Given = {},
): Promise<Map<string, Bundle>> {
  const built = turn.then(() => build(entries, given));
  turn = built.catch(() => {});
  return built;
}

async function build(
  entries: readonly string[],
  { isSplit = false }: Given,
): Promise<Map<string, Bundle>> {
  // Loaded by the first use: no start has to wait for it.
  const esbuild = await import('esbuild');
  try {
    const { outputFiles, metafile } = await esbuild.build({
      entryPoints: [...entries],
      bundle: true,
      write: false,
      minify: true,
      metafile: true,
      format: isSplit ? 'esm' : 'iife',
      splitting: isSplit,
      platform: 'browser',
      target: 'es2023',
      charset: 'utf8',
      legalComments: 'none',
      logLevel: 'silent',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      // Every entry beside the others, wherever it is from.
      entryNames: '[name]',
      chunkNames: '[name].[hash]',
      outdir: '/',
      // No settings of the folders around, which an image may lack.
      tsconfigRaw: '{}',
    });
    const imports = importsOf(metafile);
    return new Map(
      outputFiles.map(({ path, text }) => {
        const name = basename(path);
        const hash = createHash('sha256').update(text).digest('base64');
        return [name, { text, hash, imports: imports.get(name) ?? [] }];
      }),
    );
  } finally {
    await esbuild.stop();
  }
}

const importsOf = ({ outputs }: Metafile): Map<string, string[]> =>
  new Map(
    Object.entries(outputs).map(([path, { imports }]) => [
      basename(path),
      imports
        .filter(({ kind }) => kind === 'import-statement')
        .map(({ path: imported }) => basename(imported)),
    ]),
  );
