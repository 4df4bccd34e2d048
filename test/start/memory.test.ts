import { spawnSync } from 'node:child_process';

import { expect, it } from 'vitest';

const LOOK =
  "import v8 from 'node:v8'; process.on('exit', () => console.error(v8.getHeapSpaceStatistics()" +
  ".find((space) => space.space_name === 'new_space').space_size));";

it('the burst of a start does not grow the young generation', () => {
  const { stderr } = spawnSync(
    process.execPath,
    ['--import', `data:text/javascript,${LOOK}`, 'src/main.ts', 'tools'],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  );
  expect(Number(stderr)).toBeGreaterThan(0);
  expect(Number(stderr)).toBeLessThanOrEqual(4 * 1024 * 1024);
});
