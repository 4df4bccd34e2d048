import { KillBench, killPoints } from '../support/runs/turns/killed.ts';
import { runTurns } from '../support/runs/turns/run.ts';
import { engines, onEngine, onEngines } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const TURNS = 1_000;
/** At each point. */
const KILLS = 10;
const SEED = 20_261_124;
const ENDS = ['whole', 'error', 'left'] as const;

/** Turns of which something fails, on each engine; `turns N` makes N. */
export const turns: Proof = async ({ print, only }) => {
  const count = Number(only || TURNS);
  const { lines, say } = linesOf(print);
  let failed = 0;
  const details: string[] = [];
  say(`Seed ${SEED}. Each turn proposes one write; the vendor fails in one of its rounds, and`);
  say('three of ten clients leave.');
  say('');
  say('| engine | the vendor | turns | whole answers | errors | clients that left |');
  say('|---|---|---|---|---|---|');
  const sums: string[] = [];
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const done = await runTurns(count, SEED, { environment, remove: async () => {} });
      failed += done.wrong.length;
      details.push(...done.wrong.map((one) => `- ${engine}: ${one}`));
      for (const [fault, own] of Map.groupBy(done.turns, (turn) => turn.fault)) {
        const ends = ENDS.map((end) => own.filter((turn) => turn.end === end).length);
        say(`| ${[engine, fault, own.length, ...ends].join(' | ')} |`);
      }
      sums.push(
        `| ${[engine, done.turns.length, done.proposals, done.wrong.length].join(' | ')} |`,
      );
    });
  say('');
  say('| engine | turns | proposals | wrong |');
  say('|---|---|---|---|');
  for (const line of sums) say(line);
  say('');
  say(
    'The process is killed in the turn, its client asks again where it heard nothing, and goes on:',
  );
  say('');
  say('| engine | killed | turns | with a proposal | wrong |');
  say('|---|---|---|---|---|');
  const kills = Math.max(1, Math.round((KILLS * count) / TURNS));
  await onEngines(
    (environment) => KillBench.open(environment),
    async (bench, engine) => {
      for (const [at, point] of killPoints.entries()) {
        let proposed = 0;
        const wrong: string[] = [];
        for (let n = 0; n < kills; n += 1) {
          const done = await bench.turn(point, at * KILLS + n, n % 2 === 0);
          if (done.isProposed) proposed += 1;
          wrong.push(...done.wrong);
        }
        failed += wrong.length;
        details.push(...wrong.map((one) => `- ${engine}, killed ${point}: ${one}`));
        say(`| ${[engine, point, kills, proposed, wrong.length].join(' | ')} |`);
      }
    },
  );
  say('');
  say(
    'Wrong is a proposal that no answer and no conversation shows, a second proposal of one wish, an answer that',
  );
  say('says done, and a question of a conversation without its answer or an unfinished one.');
  for (const one of details) say(one);
  return { failed, report: lines };
};
