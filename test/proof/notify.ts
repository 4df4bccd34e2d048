import {
  judgeTold,
  NotifyCrashBench,
  notifyPoints,
  type Told,
} from '../support/runs/crash-notify.ts';
import { onEngines } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ROUNDS = 10;

/** Kills the platform ten times at every point between an alarm and the end of its notification. */
export const notify: Proof = async ({ print }) => {
  let failed = 0;
  const { lines, say } = linesOf(print);
  say(
    '| engine | killed at | rounds | alarms | notifications | requests | counted by the receiver | slowest end after restart, s | wrong |',
  );
  say('|---|---|---|---|---|---|---|---|---|');
  await onEngines(NotifyCrashBench.open, async (bench, engine) => {
    for (const point of notifyPoints) {
      const rounds: Told[] = [];
      for (let n = 0; n < ROUNDS; n += 1) rounds.push(await bench.tell(point));
      const wrong = rounds.flatMap(judgeTold);
      failed += wrong.length;
      const sum = (of: (round: Told) => number): number =>
        rounds.reduce((total, round) => total + of(round), 0);
      const slowest = Math.max(...rounds.map(({ seconds }) => seconds)).toFixed(1);
      const told = sum(({ statuses }) => statuses.length);
      const counts = [sum(({ alarms }) => alarms), told, sum(({ requests }) => requests)];
      say(
        `| ${engine} | ${point} | ${rounds.length} | ${counts.join(' | ')} | ${sum(({ ids }) => ids)} | ${slowest} | ${wrong.join('; ') || 0} |`,
      );
    }
  });
  return { failed, report: lines };
};
