import { type Judged, judged, shareNamed } from '../support/runs/incidents/judge.ts';
import { startWorld } from '../support/world/app.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const INCIDENTS = 200;
/** Others than those of the test. */
const FIRST_SEED = 1_001;
const LEAST_FIRST = 0.85;
const LEAST_AMONG_THREE = 0.97;

/** Incidents of a seeded list of kinds, laid among noise: what the report of each alarm names as its cause. */
export const incidents: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  const seeds = Array.from({ length: INCIDENTS }, (_, index) => FIRST_SEED + index);
  const all: Judged[] = [];
  await onEngine('embedded', async (environment) => {
    const world = await startWorld({ database: { environment, remove: async () => {} } });
    try {
      all.push(...(await judged(world, await world.tenant('incidents'), seeds)));
    } finally {
      await world.halt();
    }
  });
  say('| what led to the alarm | incidents | first | among three | not named first (seeds) |');
  say('|---|---|---|---|---|');
  const kinds = Map.groupBy(all, ({ incident }) => incident.origin);
  for (const [origin, some] of [...kinds].toSorted(([a], [b]) => a.localeCompare(b))) {
    const missed = some.filter(({ rank }) => rank !== 1).map(({ incident }) => incident.seed);
    const counts = [1, 3].map((most) => Math.round(shareNamed(some, most) * some.length));
    say(`| ${origin} | ${some.length} | ${counts.join(' | ')} | ${missed.join(' ')} |`);
  }
  const dead = all.flatMap((one) => one.dead);
  const cited = all.flatMap(({ causes }) => causes.flatMap(({ evidence }) => evidence));
  const [first, three] = [shareNamed(all, 1), shareNamed(all, 3)];
  say('');
  say(`Named first: ${percent(first)} (at least ${percent(LEAST_FIRST)}).`);
  say(`Among three: ${percent(three)} (at least ${percent(LEAST_AMONG_THREE)}).`);
  say(`Citations: ${cited.length}, of which no read answers ${dead.length}.`);
  const failed = [first < LEAST_FIRST, three < LEAST_AMONG_THREE, dead.length > 0];
  return { failed: failed.filter(Boolean).length, report: lines };
};

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
