import { createHash } from 'node:crypto';
import { basename } from 'node:path';

/** Browser code in one text. */
export type Bundle = {
  text: string;
  /** SHA-256 of the text in base64: names it in a policy of the page or in an address. */
  hash: string;
};

let turn: Promise<unknown> = Promise.resolve();

/**
 * Bundles entries (paths of .ts, .tsx and .css files) into memory, each by itself, under their names without a folder.
 * The same sources give the same bytes. One build at a time: the bundler is a process of its own, which ends after it.
 */
export function bundle(entries: readonly string[]): Promise<Map<string, Bundle>> {
  const built = turn.then(() => build(entries));
  turn = built.catch(() => {});
  return built;
}

async function build(entries: readonly string[]): Promise<Map<string, Bundle>> {
  // Loaded by the first use: no start has to wait for it.
  const esbuild = await import('esbuild');
  try {
    const { outputFiles } = await esbuild.build({
      entryPoints: [...entries],
      bundle: true,
      write: false,
      minify: true,
      format: 'iife',
      platform: 'browser',
      target: 'es2023',
      charset: 'utf8',
      legalComments: 'none',
      logLevel: 'silent',
      jsx: 'automatic',
      jsxImportSource: 'preact',
      // Every entry beside the others, wherever it is from.
      entryNames: '[name]',
      outdir: '/',
      // No settings of the folders around, which an image may lack.
      tsconfigRaw: '{}',
    });
    return new Map(
      outputFiles.map(({ path, text }) => [
        basename(path),
        { text, hash: createHash('sha256').update(text).digest('base64') },
      ]),
    );
  } finally {
    await esbuild.stop();
  }
}
