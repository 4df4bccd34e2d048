import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

import { progress } from './progress.ts';
import { LongestFirst } from './sequencer.ts';
import { amqpUrl, databaseUrl, type Suite, suites } from './suites.ts';
import { memoryFolder } from './support/world/memory-folder.ts';

/** Where `.ci/run` wants the counts. */
const report = process.env['SVC_TEST_REPORT'];
const folder = memoryFolder();
const inMemory = folder ? { TMPDIR: folder } : {};
const server = {
  ...(databaseUrl && { SVC_TEST_DATABASE: databaseUrl }),
  ...(amqpUrl && { SVC_TEST_AMQP: amqpUrl }),
};
// One more than there are cores: a file waits for timers and sockets, and more of them make each other late.
const maxWorkers = availableParallelism() + 1;

const project = ({ name, include, exclude = [], on, isolate, workers }: Suite) => ({
  test: {
    name,
    include: [...include],
    exclude: [...exclude],
    testTimeout: 120_000,
    hookTimeout: 180_000,
    ...(isolate === false && { isolate }),
    ...(on && {
      env: { ...inMemory, ...(on === 'postgres' && server) },
      globalSetup: 'test/support/world/template.ts',
    }),
    // Projects with another number of workers run apart, after the others: vitest leaves out groups below zero.
    ...(workers && { maxWorkers: workers, sequence: { groupOrder: workers } }),
  },
});

export default defineConfig({
  test: {
    maxWorkers,
    sequence: { sequencer: LongestFirst },
    // Node itself runs the tree, in the tests as in the field, and remembers what it compiled.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    reporters: [
      ...(process.stdout.isTTY ? ['default'] : ['minimal', progress()]),
      ...(report ? ['json'] : []),
    ],
    ...(report && { outputFile: report }),
    projects: suites.filter(({ missing }) => !missing).map(project),
  },
});
