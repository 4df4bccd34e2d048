import { runEvaluations } from '../support/runs/rules/evaluations.ts';
import { startWorld } from '../support/world/app.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ROUNDS = 1_000;

/** 64 evaluations of one fingerprint at once, on PostgreSQL in two data centers; `evaluations N` makes N rounds. */
export const evaluations: Proof = async ({ print, only }) => {
  const rounds = Number(only || ROUNDS);
  const { lines, say } = linesOf(print);
  let failed = 0;
  say('| engine | data centers | rounds | what | states | counted | alarms | expected |');
  say('|---|---|---|---|---|---|---|---|');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const clock = new ShiftedClock();
      const own = { clock, database: { environment, remove: async () => {} } };
      const first = await startWorld(own);
      // The embedded engine is of one process.
      const more = engine === 'postgres' ? [await startWorld(own)] : [];
      try {
        const { found, expected } = await runEvaluations([first, ...more], rounds);
        for (const [index, { what, states, counted, alarms }] of found.entries()) {
          const right = expected[index];
          const isRight =
            states === right?.states && counted === right.counted && alarms === right.alarms;
          if (!isRight) failed += 1;
          const wanted = `${right?.states}, ${right?.counted}, ${right?.alarms}`;
          const cells = [engine, more.length + 1, rounds, what, states, counted, alarms, wanted];
          say(`| ${cells.join(' | ')} |`);
        }
      } finally {
        for (const world of [...more, first]) await world.halt();
      }
    });
  return { failed, report: lines };
};
