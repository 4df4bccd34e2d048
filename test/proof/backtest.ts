import { type Compared, runBacktest, StillClock } from '../support/runs/rules/backtest.ts';
import { startWorld } from '../support/world/app.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const SERIES = 240;
/** More in one process outlast its logins: each series takes minutes of the clock. */
const AT_ONCE = 48;
/** Others than those of the test. */
const SEED = 77_000;

/** Recorded series over every kind of rule: a preview of each raises what the evaluation raised. */
export const backtest: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  const all: Compared[] = [];
  for (let at = 0; at < SERIES; at += AT_ONCE)
    await onEngine('embedded', async (environment) => {
      const database = { environment, remove: async () => {} };
      const world = await startWorld({ clock: new StillClock(), database });
      try {
        all.push(...(await runBacktest(world, { seed: SEED + at, series: AT_ONCE })));
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
