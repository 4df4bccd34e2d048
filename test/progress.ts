import { existsSync, writeFileSync } from 'node:fs';

import type { Reporter } from 'vitest/node';

import { nameOf, TIMINGS, timingsSoFar } from './sequencer.ts';

const EVERY_MS = 10_000;
const SLOWEST = 10;

const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;

/**
 * How far a run is, one line every ten seconds, and its slowest files at the end: for output that is no
 * terminal, beside a reporter that prints failures and the summary.
 */
export function progress(): Reporter {
  const took: { name: string; ms: number }[] = [];
  const tests = { passed: 0, failed: 0 };
  let files = 0;
  let begun = 0;
  let printed = 0;
  return {
    onTestRunStart(specifications) {
      files = specifications.length;
      begun = performance.now();
    },
    onTestModuleEnd(module) {
      for (const test of module.children.allTests()) {
        const { state } = test.result();
        if (state === 'passed' || state === 'failed') tests[state] += 1;
      }
      const name = nameOf(module.project.name, module.moduleId);
      took.push({ name, ms: module.diagnostic().duration });
      const now = performance.now();
      if (now - printed < EVERY_MS && took.length < files) return;
      printed = now;
      const counts = `${tests.passed} passed, ${tests.failed} failed`;
      console.log(`${took.length}/${files} files, ${counts}, ${seconds(now - begun)}: ${name}`);
    },
    onTestRunEnd() {
      if (took.length < files) {
        console.error(`${files - took.length} files were chosen and not run`);
        process.exitCode = 1;
      }
      if (process.env['SVC_TEST_TIMINGS']) writeFileSync(TIMINGS, timingsOf(took));
      if (took.length <= SLOWEST) return;
      console.log('Slowest files:');
      for (const { name, ms } of took.toSorted((a, b) => b.ms - a.ms).slice(0, SLOWEST))
        console.log(`  ${seconds(ms).padStart(8)}  ${name}`);
    },
  };
}

/**
 * Whole seconds by name, sorted: what is below one changes with every run and matters to none. What an earlier run wrote
 * of files that this one left out stays, while there is such a file.
 */
function timingsOf(took: readonly { name: string; ms: number }[]): string {
  const ran = new Set(took.map(({ name }) => name));
  const earlier = Object.entries(timingsSoFar()).filter(
    ([name]) => !ran.has(name) && existsSync(name.slice(name.indexOf(' ') + 1)),
  );
  const rows = took
    .map(({ name, ms }) => [name, Math.round(ms / 1000)] as const)
    .filter(([, whole]) => whole > 0)
    .concat(earlier)
    .toSorted(([a], [b]) => (a < b ? -1 : 1));
  return `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`;
}
