import { storm } from '../support/runs/storm/storm.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ALARMS = 1_000;

/**
 * Alarms to receivers of which 30 % hang, 20 % fail for up to two hours, 10 % drip and 10 % answer late, with windows,
 * limits, reminders, edits, confirmations, deaths of the dispatcher and of the platform at random; each minute of the clock what each
 * channel knows is compared with the ledger.
 */
export const ledger: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  say('| alarms | messages | requests | alarms × channels known | kills | wrong |');
  say('|---|---|---|---|---|---|');
  await onEngine('embedded', async (environment) => {
    const database = { environment, remove: async () => {} };
    const { messages, requests, known, kills, wrong } = await storm(ALARMS, 1, database);
    failed = wrong.length;
    say(`| ${ALARMS} | ${messages} | ${requests} | ${known} | ${kills} | ${wrong.length} |`);
    for (const line of wrong.slice(0, 100)) print(line);
  });
  return { failed, report: lines };
};
