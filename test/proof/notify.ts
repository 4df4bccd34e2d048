import {
  judgeTold,
  NotifyCrashBench,
  notifyPoints,
  type Told,
} from '../support/runs/crash-notify.ts';
import { engines, onEngine } from './on-engine.ts';
import type { Proof } from './proof.ts';

const ROUNDS = 10;

/** Kills the platform ten times at every point between an alarm and the end of its notification. */
export const notify: Proof = async ({ print }) => {
  let failed = 0;
  const lines: string[] = [];
  const say = (line: string): void => {
    print(line);
    lines.push(line);
  };
  say(
    '| engine | killed at | rounds | alarms | notifications | requests | counted by the receiver | slowest end after restart, s | wrong |',
  );
  say('|---|---|---|---|---|---|---|---|---|');
  for (const engine of engines()) {
    await onEngine(engine, async (environment) => {
      const bench = await NotifyCrashBench.open(environment);
      try {
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
      } finally {
        await bench.close();
      }
    });
  }
  return { failed, report: lines };
};
