import { join } from 'node:path';

import { OutcomeBench } from '../support/runs/outcome/bench.ts';
import { faultyRound, type Judged } from '../support/runs/outcome/rounds.ts';
import { seeded } from '../support/world/seeded.ts';
import { onEngine } from './on-engine.ts';
import type { Proof } from './proof.ts';

const SEED = 20_261_122;
const DEVICES = 50;
const ROUNDS = 20;

/**
 * 1,000 writes to simulated devices whose answers are lost, late, clamped or other, under a driver that
 * dies and clocks that move: what is said of each is held against what the device did. `outcome N`
 * runs N rounds of 50 writes only and keeps nothing.
 */
export const outcome: Proof = async ({ print, only }) => {
  const rounds = only === '' ? ROUNDS : Number(only);
  const random = seeded(SEED);
  const all: Judged[] = [];
  await onEngine('embedded', async (environment) => {
    const dataDir = join(environment['SVC_DATA_DIR'] ?? '', 'driver');
    const bench = await OutcomeBench.open(DEVICES, dataDir, environment);
    try {
      for (let round = 0; round < rounds; round += 1) {
        const judged = await faultyRound(bench, round, random);
        all.push(...judged);
        const found = judged.flatMap((one) => one.wrong);
        print(`round ${round + 1} of ${rounds}: ${judged.length} writes, ${found.length} wrong`);
        for (const one of found) print(`  ${one}`);
      }
    } finally {
      await bench.close();
    }
  });
  const wrong = all.flatMap((one) => one.wrong);
  const kinds = Map.groupBy(all, ({ fault, event, first, last }) =>
    [fault, event, first, last].join(' | '),
  );
  const rows = [...kinds].toSorted(([a], [b]) => a.localeCompare(b));
  const report = [
    `Seed ${SEED}, ${all.length} writes.`,
    '',
    '| fault | meanwhile | ended | after the next reading | writes |',
    '|---|---|---|---|---|',
    ...rows.map(([kind, found]) => `| ${kind} | ${found.length} |`),
    ...wrong.map((one) => `- ${one}`),
  ];
  if (only !== '') for (const line of report) print(line);
  return { failed: wrong.length, report };
};
