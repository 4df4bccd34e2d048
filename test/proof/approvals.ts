import { createRandom } from '../support/hostile/random.ts';
import { approve } from '../support/runs/approvals/run.ts';
import { startWorld } from '../support/world/app.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const PROPOSALS = Number(process.env['PROPOSALS'] ?? 2_000);
const SEED = Number(process.env['PROPOSAL_SEED'] ?? 20_261_123);

/** Proposes around every edge of standing approvals. */
export const approvals: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  const details: string[] = [];
  say(
    `Seed ${SEED}. Wrong is a proposal inside of its approval that waits for a person, one outside`,
  );
  say('of it that was decided, and a count of uses that is not that of the decisions.');
  for (const engine of engines().filter((one) => only === '' || one === only))
    await onEngine(engine, async (environment) => {
      const world = await startWorld({ database: { environment, remove: async () => {} } });
      try {
        const { proposals, kinds, wrong } = await approve(world, createRandom(SEED), PROPOSALS);
        failed += wrong.length;
        say('');
        say(`${engine}: ${proposals} proposals, ${wrong.length} wrong.`);
        details.push(
          ...wrong.map((one) => `- ${engine}: ${one}`),
          '',
          `| ${engine} | decided by the approval | waits for a person |`,
          '|---|---|---|',
          ...[...kinds].map(
            ([kind, { decided, waited }]) => `| ${kind} | ${decided} | ${waited} |`,
          ),
        );
      } finally {
        await world.stop();
      }
    });
  for (const line of details) say(line);
  return { failed, report: lines };
};
