import { createHash } from 'node:crypto';

import { falseFindings, found, missedFaults } from '../support/runs/planted/judge.ts';
import { faultySeries, quietSeries } from '../support/runs/planted/series.ts';
import { linesOf, type Proof } from './proof.ts';

const SERIES = Number(process.env['DIGEST_SERIES'] ?? 500);
const MOST_MISSED = 0.05;
const MOST_FALSE = 0.02;

/** Looks for planted faults in generated series, and for none in quiet ones. */
export const digest: Proof = async ({ print }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;

  say(`${SERIES} series with a fault, ${SERIES} without; a bucket is 1/24 of the window.`);
  say('');
  say('| fault | series | not found | seeds |');
  say('|---|---|---|---|');
  const missed = missedFaults(SERIES);
  const kinds = Object.entries(missed);
  for (const [kind, seeds] of kinds)
    say(`| ${kind} | ${SERIES / kinds.length} | ${seeds.length} | ${seeds.join(' ')} |`);
  const all = kinds.flatMap(([, seeds]) => seeds).length;
  if (all > MOST_MISSED * SERIES || missed['gap']?.length !== 0) failed += 1;
  say('');
  say(
    `Found: ${share(SERIES - all)} (at least ${100 - 100 * MOST_MISSED} %; every gap to the ms).`,
  );

  say('');
  say('| found in a quiet series | series | seeds |');
  say('|---|---|---|');
  const wrong = falseFindings(SERIES);
  for (const [kind, seeds] of Object.entries(wrong))
    say(`| ${kind} | ${seeds.length} | ${seeds.join(' ')} |`);
  if (wrong.changes.length > MOST_FALSE * SERIES || wrong.gaps.length > 0) failed += 1;
  say('');
  say(`False change points: ${share(wrong.changes.length)} (at most ${100 * MOST_FALSE} %).`);

  const [first, second] = [hashOfAll(), hashOfAll()];
  if (first !== second) failed += 1;
  say(
    `Twice over all: ${first === second ? 'identical' : 'different'}, SHA-256 ${first.slice(0, 16)}.`,
  );
  return { failed, report: lines };
};

const share = (count: number): string => `${((100 * count) / SERIES).toFixed(1)} %`;

function hashOfAll(): string {
  const hash = createHash('sha256');
  for (let seed = 1; seed <= SERIES; seed += 1)
    hash.update(JSON.stringify([found(faultySeries(seed)), found(quietSeries(seed))]));
  return hash.digest('hex');
}
