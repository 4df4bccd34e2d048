import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { expect, it } from 'vitest';

import { NODE_OPTIONS } from '../bench/platform/options.ts';
import { testEnvironment } from '../support/world/environment.ts';

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

it.each([
  [false, 0, 4],
  [true, 8, 64],
])('the young generation of a process grows once it serves: %s', (serves, least, most) => {
  const work = `const { setV8Flags, letYoungGenerationGrow } = await import('./src/kernel/process/v8-flags.ts');
    setV8Flags();
    if (${serves}) letYoungGenerationGrow();
    const alive = [];
    for (let at = 0; at < 3_000_000; at += 1) alive[at % 100_000] = { at };
    const { default: v8 } = await import('node:v8');
    console.log(v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space').space_size);`;
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [...NODE_OPTIONS, '--input-type=module', '-e', work],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  );
  expect(stderr).toBe('');
  expect(Number(stdout)).toBeGreaterThan(least * 1024 * 1024);
  expect(Number(stdout)).toBeLessThanOrEqual(most * 1024 * 1024);
});

/** Most that is used of the heap (MB) of a process that keeps 60 MB and works with objects that outlive the young generation. */
function heapAtWork(serves: boolean): number {
  const work = `const flags = await import('./src/kernel/process/v8-flags.ts');
    const { default: v8 } = await import('node:v8');
    flags.setV8Flags();
    flags.letYoungGenerationGrow();
    if (${serves}) flags.collectOldGenerationSooner();
    const objects = (count) => Array.from({ length: count }, (_, at) => ({ at, text: [at] }));
    const kept = objects(600_000);
    const working = [];
    let most = 0;
    for (let turn = 0; turn < 4_000; turn += 1) {
      working[turn % 100] = objects(2_000);
      // The limit of the first collection is that of a new process.
      if (turn > 2_000) most = Math.max(most, v8.getHeapStatistics().used_heap_size / 2 ** 20);
    }
    console.log(kept.length > 0 && most);`;
  const { stdout } = spawnSync(
    process.execPath,
    [...NODE_OPTIONS, '--input-type=module', '-e', work],
    { env: { PATH: process.env['PATH'] }, encoding: 'utf8' },
  );
  return Number(stdout);
}

it('the old generation of a process that serves is collected sooner', () => {
  const [before, after] = [heapAtWork(false), heapAtWork(true)];
  expect(after).toBeGreaterThan(60);
  expect(after).toBeLessThan(before * 0.7);
});

/**
 * Smallest heap (MB) of a process in the 40 s after a burst, in which it works a little, as for the heartbeats of
 * many devices. V8 looks whether to reduce a heap at rest 30 s after its last collection; 2 s are enough here.
 */
async function heapAtRest(givesBack: boolean): Promise<number> {
  const work = `const { letYoungGenerationGrow, setV8Flags } = await import('./src/kernel/process/v8-flags.ts');
    const { giveMemoryBackAtRest } = await import('./src/kernel/process/rest.ts');
    const { systemClock } = await import('./src/kernel/clock.ts');
    const { default: v8 } = await import('node:v8');
    setV8Flags();
    letYoungGenerationGrow();
    if (${givesBack}) giveMemoryBackAtRest(systemClock);
    const objects = (count) => Array.from({ length: count }, (_, at) => ({ at, text: [at] }));
    const kept = [];
    for (let turn = 0; turn < 200; turn += 1) kept[turn % 20] = objects(10_000);
    kept.length = 2;
    setInterval(() => kept.splice(0, 1, objects(2_000)), 100);
    let least = Infinity;
    setInterval(() => (least = Math.min(least, v8.getHeapStatistics().total_heap_size / 2 ** 20)), 1_000);
    setTimeout(() => {
      console.log(least);
      process.exit();
    }, 40_000);`;
  const soon = '--gc-memory-reducer-start-delay-ms=2000';
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...NODE_OPTIONS, soon, '--input-type=module', '-e', work],
    { env: { PATH: process.env['PATH'] } },
  );
  return Number(stdout);
}

it('a process that rests gives the memory of a burst back', async () => {
  const [kept, given] = await Promise.all([heapAtRest(false), heapAtRest(true)]);
  expect(given).toBeGreaterThan(0);
  expect(given).toBeLessThan(kept * 0.5);
});

it('npm start, npm run svc and the image give node the options that are measured', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  const [image = ''] = readFileSync('Dockerfile', 'utf8').match(/^CMD .*$/m) ?? [];
  for (const option of NODE_OPTIONS)
    for (const command of [scripts.start, scripts.svc, image]) expect(command).toContain(option);
});

it('a start does not load the code behind fetch', () => {
  const look = `await Promise.all(['late-imports', 'platform'].map((name) => import(\`./src/start/\${name}.ts\`)));
    console.log(process.moduleLoadList.filter((name) => name.endsWith('/undici')));`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', look], {
    env: { PATH: process.env['PATH'] },
    encoding: 'utf8',
  });
  expect(stderr).toBe('');
  expect(stdout).toBe('[]\n');
});

it('a new database lets V8 optimize less of the engine than it would by itself (440 functions)', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-optimized-'));
  try {
    const { status, stdout } = spawnSync(
      process.execPath,
      ['--trace-wasm-compilation-times', 'src/main.ts', 'migrate'],
      {
        env: { PATH: process.env['PATH'], ...testEnvironment, SVC_DATA_DIR: directory },
        encoding: 'utf8',
        maxBuffer: 64 * 1024 * 1024,
      },
    );
    expect(status).toBe(0);
    const optimized = stdout.match(/using TurboFan/g)?.length ?? 0;
    expect(optimized).toBeGreaterThan(0);
    expect(optimized).toBeLessThan(320);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
