import { interleave, type Tally } from '../support/runs/isolation/interleave.ts';
import { openSite } from '../support/runs/isolation/site.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const INTERLEAVINGS = 100_000;
const SEED = Number(process.env['ISOLATION_SEED'] ?? 20_261_122);
const MINUTES = Number(process.env['ISOLATION_MINUTES'] ?? 60);
const shares = { tooLong: 0.0003, disturbed: 0.03, redefined: 0.005, raised: 0.01 };

/** Trips of two tenants at once on one connection, which fail in every way in between. */
export const isolation: Proof = async ({ print, only }) => {
  const to = Math.ceil(INTERLEAVINGS * (only === '' ? 1 : Number(only) / 100));
  const { lines, say } = linesOf(print);
  let failed = 0;
  say(
    `Seed ${SEED}. Foreign rows, context left behind, answers to another query, rows kept of failed`,
  );
  say(
    'trips and failures without a cause are wrong. The embedded engine is a thread of the process:',
  );
  say(
    'nothing cancels or ends its back-end, but calls do not wait for it for longer than a time-out.',
  );
  say('');
  say('| database | interleavings | trips | wrong |');
  say('|---|---|---|---|');
  const tallies = new Map<string, Tally>();
  for (const engine of engines()) {
    await onEngine(engine, async (environment) => {
      const site = await openSite(environment);
      try {
        const until = performance.now() + MINUTES * 60_000;
        const isTimeUp = (): boolean => performance.now() > until;
        const tally = await interleave(site, { seed: SEED, to, shares }, isTimeUp);
        const { interleavings, trips, wrong } = tally;
        tallies.set(engine, tally);
        failed += wrong.length;
        say(`| ${engine} | ${interleavings} | ${trips} | ${wrong.length} |`);
      } finally {
        await site.close();
      }
    });
  }
  for (const [engine, { ends, wrong }] of tallies) {
    say('');
    say(`${engine}, how trips ended (\`done\`, SQLSTATE or message) and what was done to them:`);
    say('');
    for (const [end, count] of [...ends].toSorted(([, one], [, two]) => two - one))
      say(`- ${end}: ${count}`);
    for (const text of wrong.slice(0, 20)) say(`- wrong: ${text}`);
  }
  return { failed, report: lines };
};
