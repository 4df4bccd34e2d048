import { openHistories } from '../support/runs/histories/history.ts';
import { startWorld } from '../support/world/app.ts';
import { seeded } from '../support/world/seeded.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const HISTORIES = 1_000;
const SEED = 20_261_127;

/** Random histories of actions: every sentence at every door, after each event. `sentences N` makes N. */
export const sentences: Proof = async ({ print, only }) => {
  const histories = Number(only || HISTORIES);
  const { lines, say } = linesOf(print);
  let failed = 0;
  say(`Seed ${SEED}.`);
  say('');
  say('| engine | histories | sentences read | wrong |');
  say('|---|---|---|---|');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const world = await startWorld({ database: { environment, remove: async () => {} } });
      let read = 0;
      let wrong = 0;
      try {
        const history = openHistories(world, seeded(SEED));
        for (let n = 0; n < histories; n += 1) {
          const one = await history();
          read += one.read;
          wrong += one.wrong.length;
          for (const what of one.wrong) print(`${n}: ${what}`);
        }
      } finally {
        await world.stop();
      }
      failed += wrong;
      say(`| ${engine} | ${histories} | ${read} | ${wrong} |`);
    });
  return { failed, report: lines };
};
