import { CrashBench, judge, type Round, writePoints } from '../support/runs/crash.ts';
import { onEngines } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ROUNDS = 10;

/** Kills the platform ten times at every named point, on each engine that is there. */
export const crash: Proof = async ({ print }) => {
  let failed = 0;
  const { lines, say } = linesOf(print);
  say(
    '| engine | point | rounds | statuses | executed more than once | slowest end after restart, s | wrong |',
  );
  say('|---|---|---|---|---|---|---|');
  await onEngines(CrashBench.open, async (bench, engine) => {
    for (const point of writePoints) {
      const rounds: Round[] = [];
      for (let n = 0; n < ROUNDS; n += 1)
        rounds.push(await bench.write(point, String(6 + writePoints.indexOf(point) * 5 + n / 2)));
      const wrong = rounds.flatMap(judge);
      failed += wrong.length;
      const statuses = Object.entries(Object.groupBy(rounds, ({ status }) => status)).map(
        ([status, all]) => `${status} ${all?.length}`,
      );
      const slowest = Math.max(...rounds.map(({ secondsToTerminal }) => secondsToTerminal)).toFixed(
        1,
      );
      const twice = rounds.filter(({ executions }) => executions > 1).length;
      say(
        `| ${engine} | ${point} | ${rounds.length} | ${statuses.join(', ')} | ${twice} | ${slowest} | ${wrong.join('; ') || 0} |`,
      );
    }
    let [acknowledged, lost, unexpected] = [0, 0, 0];
    for (let n = 0; n < ROUNDS; n += 1) {
      const round = await bench.ingest(3 + n);
      acknowledged += round.acknowledged;
      lost += round.lost;
      unexpected += round.unexpected;
    }
    failed += lost + unexpected;
    say(
      `| ${engine} | ingest | ${ROUNDS} | values acknowledged ${acknowledged}, lost ${lost}, unexpected ${unexpected} | | | ${lost + unexpected} |`,
    );
  });
  return { failed, report: lines };
};
