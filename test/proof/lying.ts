import { LyingBench, tableOf, type Verdict } from '../support/lying/lying-bench.ts';
import { seeded } from '../support/world/seeded.ts';
import { onEngine } from './on-engine.ts';
import type { Proof } from './proof.ts';

const SEED = 20_261_123;
const DEVICES = 300;
const WRITES = 10_000;

/**
 * 10,000 writes to devices that lie, over DTLS and in clear, observed or not: what is said of each is held
 * against what the device held. `lying N` makes N writes only and keeps nothing.
 */
export const lying: Proof = async ({ print, only }) => {
  const count = only === '' ? WRITES : Number(only);
  const random = seeded(SEED);
  let verdicts: Verdict[] = [];
  await onEngine('embedded', async (environment) => {
    const bench = await LyingBench.open(Math.min(DEVICES, count), random, environment);
    let done = 0;
    try {
      verdicts = await bench.writes(count, random, ({ lie, wrong }) => {
        done += 1;
        if (done % 500 === 0) print(`${done} of ${count} writes`);
        for (const one of wrong) print(`  ${lie}: ${one}`);
      });
    } finally {
      await bench.close();
    }
  });
  const bad = verdicts.filter(({ wrong }) => wrong.length > 0);
  const lines = Map.groupBy(
    bad,
    ({ lie, transport, observe }) => `${lie}, ${transport}, observe ${observe}`,
  );
  const report = [
    `Seed ${SEED}, ${verdicts.length} writes to ${Math.min(DEVICES, count)} devices.`,
    '',
    ...tableOf(verdicts),
    ...[...lines].flatMap(([name, found]) => [
      `- ${found.length} × ${name}: ${found[0]?.wrong[0]}`,
    ]),
  ];
  if (only !== '') for (const line of report) print(line);
  return { failed: bad.length, report };
};
