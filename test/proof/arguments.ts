import { startPlant } from '../support/runs/arguments/plant.ts';
import { spelledCalls } from '../support/runs/arguments/run.ts';
import { guessedWrites, wrongWrites } from '../support/runs/arguments/wrong.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const CALLS = 2_000;
const SEED = 33;
const MIN_UNDERSTOOD = 0.98;
const MAX_EXAMPLES = 20;

/**
 * Right calls as models spell them: each must be answered as the call that is meant, or be refused. Then writes that may be
 * meant otherwise: each must be refused. `arguments SEED` runs another seed.
 */
export const argumentsSpelled: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  const seed = only === '' ? SEED : Number(only);
  let failed = 0;
  await onEngine('embedded', async (environment) => {
    const plant = await startPlant({ database: { environment, remove: async () => {} } });
    try {
      const { tallies, understood, refused, otherwise } = await spelledCalls(plant, seed, CALLS);
      say(`${CALLS} calls of 28 tools, seed ${seed}, each spelled in one to three ways at once.`);
      say('');
      say('| Way | Calls with it | Understood | Refused | Taken for something else |');
      say('| --- | --- | --- | --- | --- |');
      for (const [name, tally] of [...tallies].toSorted(([one], [other]) => (one < other ? -1 : 1)))
        say(
          `| ${[name, tally.tried, tally.understood, tally.refused, tally.otherwise].join(' | ')} |`,
        );
      const share = ((100 * understood) / CALLS).toFixed(1);
      say('');
      say(
        `Understood ${share} %, refused ${refused.length}, taken for something else ${otherwise.length}.`,
      );
      const guessed = await guessedWrites(plant);
      say(
        `Of ${wrongWrites(plant).length} writes that may be meant otherwise, guessed: ${guessed.length}.`,
      );
      const examples = [
        ...otherwise.map((text) => `something else: ${text}`),
        ...guessed.map((text) => `guessed: ${text}`),
        ...refused.map((text) => `refused: ${text}`),
      ].slice(0, only === '' ? MAX_EXAMPLES : CALLS);
      if (examples.length > 0) say('');
      for (const text of examples)
        say(`- ${text.replaceAll('`', "'").replaceAll('|', '/').slice(0, 300)}`);
      const isMet = understood >= CALLS * MIN_UNDERSTOOD;
      failed = otherwise.length + guessed.length + (isMet ? 0 : 1);
    } finally {
      await plant.stop();
    }
  });
  return { failed, report: lines };
};
