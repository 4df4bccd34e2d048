import { createRandom } from '../support/hostile/random.ts';
import { forge } from '../support/runs/forged/run.ts';
import { startWorld } from '../support/world/app.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ATTEMPTS = 1_000;

/** Forges and replays confirmations with every credential that is no interactive login. */
export const forged: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  const details: string[] = [];
  for (const engine of engines().filter((one) => only === '' || one === only))
    await onEngine(engine, async (environment) => {
      const world = await startWorld({ database: { environment, remove: async () => {} } });
      try {
        const { attempts, statuses, wrong } = await forge(world, createRandom(11), ATTEMPTS);
        failed += wrong.length;
        say(`${engine}: ${attempts} attempts, ${wrong.length} wrong (a command, or a decision).`);
        details.push(
          ...wrong.map((one) => `- ${one}`),
          '',
          `| ${engine}: credential and HTTP status | attempts |`,
          '|---|---|',
          ...[...statuses]
            .toSorted(([one], [other]) => one.localeCompare(other))
            .map(([outcome, count]) => `| ${outcome} | ${count} |`),
        );
      } finally {
        await world.stop();
      }
    });
  for (const line of details) say(line);
  return { failed, report: lines };
};
