import { globSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { expect, it } from 'vitest';

const FOLDER = 'test/conformance/lwm2m';

it('each id of the table has one test with the id in its title, in the file that the table names', () => {
  const tests = globSync(`${FOLDER}/*.test.ts`).flatMap((path) =>
    Array.from(
      readFileSync(path, 'utf8').matchAll(/\bit\(\s*['"`]int-(\d+): /g),
      ([, id]) => `${id} ${basename(path)}`,
    ),
  );
  const rows = Array.from(
    readFileSync(`${FOLDER}/README.md`, 'utf8').matchAll(
      /^\| (\d+) +\|[^|]+\| `([a-z-]+\.test\.ts)` +\|$/gm,
    ),
    ([, id, file]) => `${id} ${file}`,
  );
  const ids = rows.map((row) => row.split(' ', 1)[0]);
  expect(rows.length).toBeGreaterThan(30);
  expect(new Set(ids).size).toBe(ids.length);
  expect(rows.toSorted()).toEqual(tests.toSorted());
});
