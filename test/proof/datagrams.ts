import { DatagramBench } from '../support/runs/datagrams/bench.ts';
import { onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const COUNT = 100_000;
const MAX_GROWTH_MB = 100;
const MAX_AMPLIFICATION = 3;
const FLOODS = [20_000, 50_000] as const;
const SECONDS = 15;
const MAX_SLOWER = 1.5;
const MAX_LINES = 100;

/** Mutated datagrams and floods at the LwM2M server; `npm run prove -- datagrams flood` runs the floods alone. */
export const datagrams: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  const judge = (line: string, isRight: boolean): void => {
    if (!isRight) failed += 1;
    say(`- ${line}${isRight ? '' : ': wrong'}`);
  };
  await onEngine('embedded', async (environment) => {
    const bench = await DatagramBench.open(environment);
    try {
      if (only !== 'flood') {
        const siege = await bench.besiege(only === '' ? COUNT : Number(only));
        for (const [name, count] of siege.byKind) say(`- ${count} mutants: ${name}`);
        for (const wrong of siege.wrong.slice(0, 20)) say(`- wrong: ${wrong}`);
        failed += siege.wrong.length;
        judge(
          `memory grew by ${siege.growthMb.toFixed(0)} MB at most`,
          siege.growthMb <= MAX_GROWTH_MB,
        );
        judge(
          `strangers got ${siege.amplification.toFixed(2)} times the bytes that they sent, in the worst minute`,
          siege.amplification <= MAX_AMPLIFICATION,
        );
      }
      // The first calls of a process are slower than all that follow.
      await bench.flood(0, SECONDS);
      const { p95: alone } = await bench.flood(0, SECONDS);
      say(`- REST without a flood: p95 ${alone.toFixed(1)} ms`);
      for (const wanted of FLOODS) {
        const { perSecond, p95, calls, lines: logged } = await bench.flood(wanted, SECONDS);
        const facts = `${perSecond} Registers of unknown names a second: p95 of ${calls} REST calls ${p95.toFixed(1)} ms, ${(p95 / alone).toFixed(2)} times; ${logged} lines logged`;
        if (wanted === FLOODS[0]) judge(facts, p95 <= MAX_SLOWER * alone && logged <= MAX_LINES);
        else say(`- ${facts}`);
      }
    } finally {
      await bench.close();
    }
  });
  return { failed, report: lines };
};
