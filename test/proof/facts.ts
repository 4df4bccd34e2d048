import { claims } from '../support/runs/facts/claims.ts';
import { fates, tellFacts } from '../support/runs/facts/run.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

/** Of each fate. */
const TURNS = 500;
const SEED = 20_261_130;

/** Turns whose model claims what is true or not, in ten languages; `facts N` makes N of each fate. */
export const facts: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  const details: string[] = [];
  say(
    `Seed ${SEED}. In ${claims.length} languages, true sentences and false ones under every fate of a write; a client`,
  );
  say('that streams or not; free text, JSON, no tools, or a task of a chat program.');
  say('');
  say(
    '| engine | what became of the write | turns | true | false | with the line | without | wrong |',
  );
  say('|---|---|---|---|---|---|---|---|');
  for (const engine of engines()) {
    const { turns, wrong } = await onEngine(engine, (environment) =>
      tellFacts(Number(only || TURNS), SEED, { environment, remove: async () => {} }),
    );
    failed += wrong.length;
    details.push(...wrong.map((one) => `- ${engine}: ${one}`));
    for (const fate of fates) {
      const own = turns.filter((turn) => turn.fate === fate);
      const truths = own.filter(({ isTrue }) => isTrue).length;
      const said = own.filter(({ form }) => form === 'text').length;
      const bad = wrong.filter((one) => one.includes(` ${fate},`)).length;
      const cells = [
        engine,
        fate,
        own.length,
        truths,
        own.length - truths,
        said,
        own.length - said,
        bad,
      ];
      say(`| ${cells.join(' | ')} |`);
    }
  }
  say('');
  say(
    'Wrong is a count that is not that of the tables and of what was done, a line where none belongs or none where one',
  );
  say(
    'does, a claim whose words are changed, anything put under a sentence of a turn without a proposal, a warning under a',
  );
  say('true one, and a write without an answer that is shown as done.');
  for (const one of details) say(one);
  return { failed, report: lines };
};
