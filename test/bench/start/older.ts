import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

import { freshDirectory } from '../process.ts';

const run = promisify(execFile);

/** The tree of an older revision with its own packages, in a directory that goes when the benchmark ends. */
export async function olderTree(revision: string): Promise<URL> {
  const tree = await freshDirectory();
  const archive = join(tree, 'archive.tar');
  await run('git', ['archive', '--output', archive, revision]);
  await run('tar', ['-xf', archive, '-C', tree]);
  const options = ['--prefer-offline', '--omit=dev', '--ignore-scripts'];
  await run('npm', ['ci', ...options], { cwd: tree });
  return pathToFileURL(`${tree}/`);
}
