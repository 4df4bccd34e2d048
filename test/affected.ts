import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { basename, dirname } from 'node:path';

import { importsIn, sourcesIn } from './measure/imports.ts';

/** What puts a whole process together reaches every file, and says nothing about which test a change is for. */
const COMPOSES =
  /^src\/(start|cli)\/|\/routes\.ts$|-routes\.ts$|^tools\/index\.ts$|^src\/gateway\//;
const TEST = /^test\/(?!support|bench|proof).*\.test\.ts$/;

/**
 * The test files for what differs from `commit`, uncommitted changes included: those that import it, over other files
 * but not over what puts a process together, those whose name has that of a changed file or its folder, and the
 * architecture and the documents.
 */
export function affected(commit: string): string[] {
  const git = (...args: string[]): string[] =>
    execFileSync('git', args, { encoding: 'utf8' }).split('\n').filter(Boolean);
  const changed = [
    ...git('diff', '--name-only', commit),
    ...git('ls-files', '--others', '--exclude-standard'),
  ];
  const tests = globSync('test/**/*.ts').toSorted();
  const importers = Map.groupBy(importsIn('.', [...sourcesIn('.'), ...tests]), ({ to }) => to);
  const reached = new Set(changed);
  for (const path of reached)
    if (!COMPOSES.test(path) || changed.includes(path))
      for (const { from } of importers.get(path) ?? []) reached.add(from);
  const words = changed
    .filter((path) => /^(src|tools|providers|driver)\//.test(path))
    .flatMap((path) => [basename(path).replace(/\..*$/, ''), basename(dirname(path))]);
  const isNamed = (path: string): boolean =>
    words.some((word) => word.length > 3 && basename(path).includes(word));
  const always = (path: string): boolean => changed.length > 0 && dirname(path) === 'test';
  return tests.filter(
    (path) => TEST.test(path) && (reached.has(path) || isNamed(path) || always(path)),
  );
}
