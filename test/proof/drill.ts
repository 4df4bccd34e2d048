import { compareNights } from '../support/runs/nights/nights.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const NIGHTS = 500;
const AT_ONCE = 50;

/**
 * Random nights: a policy with windows, limits, steps, rotas, groups, digests and floods, channels of which some fail, an alarm that is confirmed
 * or ends; the drill is asked, then the clock is moved from one thing that is due to the next.
 */
export const drill: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  say('| nights | messages | taken | answered otherwise |');
  say('|---|---|---|---|');
  for (let first = 0; first < NIGHTS; first += AT_ONCE) {
    await onEngine('embedded', async (environment) => {
      const database = { environment, remove: async () => {} };
      const { messages, taken, differing } = await compareNights(AT_ONCE, first, database);
      failed += differing.length;
      say(`| ${first} to ${first + AT_ONCE - 1} | ${messages} | ${taken} | ${differing.length} |`);
      for (const line of differing) print(line);
    });
  }
  return { failed, report: lines };
};
