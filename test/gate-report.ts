/**
 * What `.ci/run` prints of vitest's reports: `failed REPORT…` the files with failures, one a line; `count STATUS REPORT…`
 * each failure and, last, `N passed, N failed`. A file in a later report takes the place of its earlier result: it was
 * run again alone, and is named where that passed.
 */
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

import { z } from 'zod';

/** More files that fail are a fault of the change, not of a busy machine: none is run again. */
const MAX_AGAIN = 12;
const MAX_LISTED = 100;
const MAX_LENGTH = 600;

const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z.string().default(''),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z.array(z.string()).nullish(),
        }),
      ),
    }),
  ),
});
type Result = z.infer<typeof Report>['testResults'][number];

const resultsIn = (path: string): Result[] =>
  Report.parse(JSON.parse(readFileSync(path, 'utf8'))).testResults;
const fileOf = ({ name }: Result): string => relative('.', name);

function failuresIn({ message, assertionResults }: Result): string[] {
  const failed = assertionResults.filter(({ status }) => status === 'failed');
  return [
    ...(message ? [message] : []),
    ...failed.map(({ fullName, failureMessages }) => `${fullName}: ${failureMessages?.join(' ')}`),
  ];
}
const isWrong = (result: Result): boolean =>
  result.status === 'failed' || failuresIn(result).length > 0;

/** Files that failed, or none where too many did. */
function failingFiles(reports: readonly string[]): string[] {
  const files = new Set(reports.flatMap(resultsIn).filter(isWrong).map(fileOf));
  return files.size > MAX_AGAIN ? [] : [...files];
}

function count(status: number, reports: readonly string[]): void {
  const again = reports.filter((path) => path.includes('again'));
  const second = again.flatMap(resultsIn);
  const repeated = new Set(second.map(fileOf));
  const first = reports.filter((path) => !again.includes(path)).flatMap(resultsIn);
  const results = [...first.filter((result) => !repeated.has(fileOf(result))), ...second];
  const wrong = results.flatMap((result) =>
    failuresIn(result).map((failure) => `FAILED ${fileOf(result)}: ${failure}`),
  );
  const stillWrong = new Set(results.filter(isWrong).map(fileOf));
  for (const result of first.filter((one) => repeated.has(fileOf(one)) && isWrong(one)))
    if (!stillWrong.has(fileOf(result)))
      for (const failure of failuresIn(result))
        console.log(`PASSED ALONE ${fileOf(result)}: ${failure}`.slice(0, MAX_LENGTH));
  for (const line of wrong.slice(0, MAX_LISTED)) console.log(line.slice(0, MAX_LENGTH));
  const passed = results
    .flatMap(({ assertionResults }) => assertionResults)
    .filter((one) => one.status === 'passed').length;
  const failures = wrong.length || (status === 0 && passed > 0 ? 0 : stillWrong.size || 1);
  console.log(`${passed} passed, ${failures} failed`);
  process.exitCode = failures === 0 ? 0 : 1;
}

const [what, ...given] = process.argv.slice(2);
if (what === 'failed') for (const file of failingFiles(given)) console.log(file);
else count(Number(given[0]), given.slice(1));
