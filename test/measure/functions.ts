import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

import { z } from 'zod';

const Report = z.object({
  diagnostics: z.array(
    z.object({
      message: z.string(),
      filename: z.string(),
      labels: z.array(z.object({ span: z.object({ line: z.number() }) })),
    }),
  ),
});
/** As `.oxlintrc.json` counts; lower, where what is below the law is measured too. */
const LAWS = {
  categories: { correctness: 'off' },
  rules: {
    complexity: ['error', { max: 20 }],
    'max-lines-per-function': ['error', { max: 80, skipBlankLines: true, skipComments: true }],
  },
};

type Excess = { name: string; figure: number; isComplex: boolean };

/**
 * The functions of more than 80 lines and those with a complexity above 20, the worst first. Takes the directives out of
 * the files, which have to be a copy.
 */
export function largeFunctions(root: string, files: readonly string[]): Excess[] {
  for (const file of files.map((path) => join(root, path))) {
    const text = readFileSync(file, 'utf8');
    if (text.includes('oxlint-disable')) writeFileSync(file, text.replaceAll('oxlint-disable', ''));
  }
  const config = join(root, 'laws.json');
  writeFileSync(config, JSON.stringify(LAWS));
  const words = ['-c', config, '-f', 'json', 'src', 'tools', 'providers', 'driver'];
  const { stdout } = spawnSync(resolve('node_modules/.bin/oxlint'), words, {
    cwd: root,
    encoding: 'utf8',
    timeout: 120_000,
    maxBuffer: 64 * 1024 ** 2,
  });
  return Report.parse(JSON.parse(stdout))
    .diagnostics.map(({ message, filename, labels: [label] }) => ({
      name: `${filename}:${label?.span.line} ${/`(\w+)`/.exec(message)?.[1] ?? ''}`,
      figure: Number(/(?:complexity of |\()(\d+)/.exec(message)?.[1]),
      isComplex: message.includes('complexity of'),
    }))
    .toSorted((a, b) => b.figure - a.figure);
}
