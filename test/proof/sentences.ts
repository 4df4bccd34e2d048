import { openHistories } from '../support/runs/histories/history.ts';
import { startWorld } from '../support/world/app.ts';
import { seeded } from '../support/world/seeded.ts';
import { linesOf, type Proof } from './proof.ts';

const HISTORIES = 1_000;
const SEED = 20_261_127;

/** 1,000 random histories of actions: every sentence at every door, after each event. `sentences N` makes N. */
export const sentences: Proof = async ({ print, only }) => {
  const histories = Number(only || HISTORIES);
  const { lines, say } = linesOf(print);
  const world = await startWorld();
  let read = 0;
  let failed = 0;
  try {
    const history = openHistories(world, seeded(SEED));
    for (let n = 0; n < histories; n += 1) {
      const one = await history();
      read += one.read;
      failed += one.wrong.length;
      for (const wrong of one.wrong) print(`${n}: ${wrong}`);
    }
  } finally {
    await world.stop();
  }
  say('| histories | sentences read | wrong |');
  say('|---|---|---|');
  say(`| ${histories} | ${read} | ${failed} |`);
  return { failed, report: lines };
};
