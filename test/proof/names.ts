import { createRandom } from '../support/hostile/random.ts';
import { lookUpForeign } from '../support/names/foreign.ts';
import { trial } from '../support/names/trial.ts';
import { startWorld } from '../support/world/app.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const DEVICES = 10_000;
const PHRASES = 1_000;
const MIN_RIGHT = 0.98;
const MAX_P95_MS = 10;
const FOREIGN_DEVICES = 2_000;
const SEEDS = [1, 2, 3, 5, 8];

/**
 * Names with typos and in any order, over a plant of 10,000 devices; the CPU a phrase takes while warm. Then names that
 * two tenants have.
 */
export const names: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  say(
    `${PHRASES} phrases each over ${DEVICES} devices with 8 points: the point that is meant is found first.`,
  );
  say('');
  say('| Seed | Right first | Taken for another | CPU p50 | p95 | p99 | Verdict |');
  say('| --- | --- | --- | --- | --- | --- | --- |');
  trial(createRandom(0), DEVICES, PHRASES);
  for (const seed of SEEDS) {
    const { right, mistaken, ms } = trial(createRandom(seed), DEVICES, PHRASES);
    const at = (part: number): number => ms[Math.floor(ms.length * part)] ?? 0;
    const isMet = right >= PHRASES * MIN_RIGHT && at(0.95) <= MAX_P95_MS && mistaken.length === 0;
    if (!isMet) failed += 1;
    const times = [at(0.5), at(0.95), at(0.99)].map((time) => `${time.toFixed(2)} ms`);
    const share = ((100 * right) / PHRASES).toFixed(1);
    say(
      `| ${[seed, `${share} %`, mistaken.length, ...times, isMet ? 'met' : 'wrong'].join(' | ')} |`,
    );
  }
  say('');
  say(
    `${PHRASES} phrases looked up by each of two tenants with ${FOREIGN_DEVICES} devices, half of them of the same names.`,
  );
  say('');
  say('| Engine | Asked | Found | With an id or a name of the other tenant |');
  say('| --- | --- | --- | --- |');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const world = await startWorld({ database: { environment, remove: async () => {} } });
      try {
        const size = { devices: FOREIGN_DEVICES, phrases: PHRASES };
        const { asked, found, foreign } = await lookUpForeign(world, createRandom(11), size);
        failed += foreign.length;
        say(`| ${[engine, asked, found, foreign.length].join(' | ')} |`);
      } finally {
        await world.stop();
      }
    });
  return { failed, report: lines };
};
