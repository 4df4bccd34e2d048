import { storm } from '../support/runs/storm/storm.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const ALARMS = 1_000;
/** On the embedded engine beside PostgreSQL: all of them take it more than an hour. */
const ALARMS_BESIDE = 250;

/**
 * Alarms to receivers of which 30 % hang, 20 % fail for up to two hours, 10 % drip and 10 % answer late, with windows,
 * limits, reminders, edits, confirmations, deaths of the dispatcher and of the platform at random; each minute of the clock what each
 * channel knows is compared with the ledger.
 */
export const ledger: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  say('| engine | alarms | messages | requests | alarms × channels known | kills | wrong |');
  say('|---|---|---|---|---|---|---|');
  const onEach = (engine: string): Promise<void> =>
    onEngine(engine, async (environment) => {
      const isBeside = engine === 'embedded' && engines().length > 1;
      const alarms = isBeside ? ALARMS_BESIDE : ALARMS;
      const database = { environment, remove: async () => {} };
      const { messages, requests, known, kills, wrong } = await storm(alarms, 1, database);
      failed += wrong.length;
      const cells = [engine, alarms, messages, requests, known, kills, wrong.length];
      say(`| ${cells.join(' | ')} |`);
      for (const line of wrong.slice(0, 100)) print(line);
    });
  await Promise.all(engines().map(onEach));
  return { failed, report: lines };
};
