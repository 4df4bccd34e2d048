import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { besiege } from '../support/hostile/besiege.ts';
import { hostileSeed } from '../support/hostile/random.ts';
import { surfaces } from '../support/hostile/surfaces.ts';
import type { FreshDatabase } from '../support/world/database.ts';
import { linesOf, type Proof } from './proof.ts';

const INPUTS = Number(process.env['HOSTILE_INPUTS'] ?? 2_000);
/** REST has hundreds of routes, and each is attacked. */
const PER_ROUTE = Number(process.env['HOSTILE_PER_ROUTE'] ?? INPUTS);
const MINUTES = Number(process.env['HOSTILE_MINUTES'] ?? 120);
/** Names of surfaces, comma-separated; all by default. */
const ONLY = process.env['HOSTILE_ONLY']?.split(',');

/** Attacks every surface with hostile inputs, each on a platform of its own. */
export const hostile: Proof = async ({ print }) => {
  let failed = 0;
  const { lines: report, say } = linesOf(print);
  say(`Seed ${hostileSeed()}, ${INPUTS} inputs to each surface, ${PER_ROUTE} to each REST route.`);
  say('');
  say('| surface | inputs | outcomes | slowest ms | growth MB | seconds | wrong |');
  say('|---|---|---|---|---|---|---|');
  const details: string[] = [];
  for (const surface of surfaces.filter(({ name }) => ONLY?.includes(name) ?? true)) {
    const database = await emptyDatabase();
    const inputs = surface.name === 'REST' ? PER_ROUTE : INPUTS;
    const siege = await besiege(surface, { inputs, seconds: MINUTES * 60, database });
    const { tally, growthMb, seconds, loggedErrors } = siege;
    failed += tally.failures;
    say(
      `| ${surface.name} | ${tally.inputs} | ${tally.outcomes()} | ${Math.round(tally.slowestMs)} | ${Math.round(growthMb)} | ${Math.round(seconds)} | ${tally.failures} |`,
    );
    for (const wrong of tally.wrong) print(`  ${wrong}`);
    details.push(...tally.wrong.map((wrong) => `- ${surface.name}: ${wrong}`));
    for (const [sentence, { count, first }] of loggedErrors)
      if (process.env['HOSTILE_LOG']) print(`  logged ${count} times: ${sentence}: ${first}`);
  }
  if (details.length > 0) report.push('', ...details);
  return { failed, report };
};

async function emptyDatabase(): Promise<FreshDatabase> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-hostile-'));
  return {
    environment: { SVC_DATA_DIR: directory },
    remove: () => rm(directory, { recursive: true, force: true }),
  };
}
