import { createRandom } from '../support/hostile/random.ts';
import { taint as readAll } from '../support/runs/taint/run.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const CLEAN = 10_000;
const PLANTED = 1_000;
const SEED = Number(process.env['TAINT_SEED'] ?? 20_261_127);

/** Fresh agents read everything of a plant, without an order in its texts and with one. `taint N` takes N % of it. */
export const taint: Proof = async ({ print, only }) => {
  const part = only === '' ? 1 : Number(only) / 100;
  const { lines, say } = linesOf(print);
  let failed = 0;
  const details: string[] = [];
  say(
    `Seed ${SEED}. Every tool that reads, every resource and every route that a program may read;`,
  );
  say(
    'orders are planted in one column at a time, and read by one of four credentials of an agent',
  );
  say('that proposes with another.');
  say('');
  say('| engine | reads without an order | orders planted | shown | reads | columns | wrong |');
  say('|---|---|---|---|---|---|---|');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const { clean, planted, shown, reads, places, wrong } = await readAll(
        { clean: Math.ceil(CLEAN * part), dirty: Math.ceil(PLANTED * part) },
        createRandom(SEED),
        { environment, remove: async () => {} },
      );
      failed += wrong.length;
      details.push(...wrong.slice(0, 50).map((one) => `- ${engine}: ${one}`));
      say(`| ${[engine, clean, planted, shown, reads, places, wrong.length].join(' | ')} |`);
    });
  for (const one of details) say(one);
  return { failed, report: lines };
};
