import { kinds, runBacktest, StillClock } from '../support/runs/rules/backtest.ts';
import type { Compared } from '../support/runs/rules/compared.ts';
import { recordKinds, runRecorded } from '../support/runs/rules/recorded.ts';
import { startWorld } from '../support/world/app.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

/** Rounds over every kind of rule. */
const ROUNDS = 10;
/** Others than those of the test. */
const SEED = 77_000;

/** Recorded series over every kind of rule: a preview of each raises what the evaluation raised. */
export const backtest: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  const all: Compared[] = [];
  const runs = [
    [runBacktest, kinds],
    [runRecorded, recordKinds],
  ] as const;
  // A process for each round: the clock of a second one would outlast its logins.
  const parts = runs.flatMap(([run, of]) =>
    Array.from({ length: ROUNDS }, (_, index) => {
      const series = Object.keys(of).length;
      return { run, seed: SEED + index * series, series };
    }),
  );
  for (const { run, ...given } of parts)
    await onEngine('embedded', async (environment) => {
      const database = { environment, remove: async () => {} };
      const world = await startWorld({ clock: new StillClock(), database });
      try {
        all.push(...(await run(world, given)));
      } finally {
        await world.stop();
      }
    });
  say('| rule | series | alarms | differ |');
  say('|---|---|---|---|');
  for (const [kind, some] of Map.groupBy(all, (one) => one.kind)) {
    const sum = (of: (one: Compared) => number): number =>
      some.reduce((total, one) => total + of(one), 0);
    const cells = [sum(({ series }) => series), sum(({ alarms }) => alarms)];
    say(`| ${kind} | ${cells.join(' | ')} | ${sum(({ wrong }) => wrong.length)} |`);
  }
  const wrong = all.flatMap((one) => one.wrong);
  for (const line of wrong.slice(0, 20)) print(line);
  return { failed: wrong.length, report: lines };
};
