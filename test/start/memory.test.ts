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

it('a start does not load the code behind fetch', () => {
  const look = `await Promise.all(['rooms', 'platform'].map((name) => import(\`./src/\${name}.ts\`)));
    console.log(process.moduleLoadList.filter((name) => name.endsWith('/undici')));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', look], {
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toBe('[]\n');
});
