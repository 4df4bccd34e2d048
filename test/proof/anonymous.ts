import { availableParallelism, loadavg } from 'node:os';

import { percentile } from '../bench/percentile.ts';
import { holdsOf } from '../support/runs/anonymous/accepted.ts';
import { cellsOf, sampledCells } from '../support/runs/anonymous/cells.ts';
import { costsOf, describedCost } from '../support/runs/anonymous/costs.ts';
import { startCounted } from '../support/runs/anonymous/counted.ts';
import { flood } from '../support/runs/anonymous/flood.ts';
import { entrances } from '../support/runs/anonymous/routes.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const HEAP_MB = 512;
const TIMES = 20;
const MOST_CPU_US = 1_000;
/** Of a body that comes byte by byte for a tenth of a second: each piece is a turn. */
const MOST_WAIT_US = 5_000;
const MOST_READ = 128 * 1024;
const REQUESTS = 10_000;
const WIDTH = 32;
const REST_MS = 20_000;
const LIVE_P99_MS = 50;
const MOST_HELD_MS = 50;
const NAMED = 20;

const load = (): string => `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores`;

/**
 * Requests without a credential that holds, at every way in: what each costs, and many of them at a small heap; and
 * how long accepted bodies hold the event loop. The command line narrows it to `costs`, `flood` or `accepted`.
 */
export const anonymous: Proof = async ({ print, only }) => {
  let failed = 0;
  const { lines, say } = linesOf(print);
  const details: string[] = [];
  const runs = (part: string): boolean => only === '' || only === part;
  say(
    `A heap of ${HEAP_MB} MB. CPU is that of all threads of the platform from the connection to its answer, the middle of ${TIMES}, each alone; where that is above 1 ms it is measured again up to nine times, since others on the machine only add to it. An open route whose body does not come is counted until its client leaves, less what the platform spends in that time anyway.`,
  );
  say('');
  say('| engine | run | size | result | wrong |');
  say('|---|---|---|---|---|');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const counted = await startCounted(environment, HEAP_MB);
      const note = (run: string, size: string, result: string, wrong: readonly string[]): void => {
        failed += wrong.length;
        say(`| ${engine} | ${run} | ${size} | ${result}; ${load()} | ${wrong.length} |`);
        details.push(...wrong.slice(0, NAMED).map((text) => `- ${engine}, ${run}: ${text}`));
      };
      const names = [...counted.given.keys()];
      try {
        const all = entrances();
        const sampled = sampledCells(all, names);
        if (runs('costs')) {
          const cells = all.flatMap((entrance) => cellsOf(entrance, names));
          // Until its code is compiled.
          await costsOf(counted, sampled, { times: 1, limitUs: Number.POSITIVE_INFINITY });
          const costs = await costsOf(counted, cells, { times: TIMES, limitUs: MOST_CPU_US });
          for (const [run, some, limitUs] of [
            ['cost of an answer', costs.filter(({ isAnswered }) => isAnswered), MOST_CPU_US],
            ['a body that does not come', costs.filter((one) => !one.isAnswered), MOST_WAIT_US],
          ] as const) {
            const cpu = some.map(({ cpuUs }) => cpuUs / 1_000);
            const [p50, p99, most] = [0.5, 0.99, 1].map((share) =>
              percentile(cpu, share).toFixed(2),
            );
            const read = Math.max(...some.map(({ mostRead }) => mostRead));
            const wrong = some.filter(
              ({ cpuUs, mostRead }) => cpuUs > limitUs || mostRead > MOST_READ,
            );
            const result = `p50 ${p50} ms, p99 ${p99} ms, most ${most} ms, ${read} bytes`;
            const size = `${all.length} ways in, ${some.length} kinds, ${TIMES} each`;
            note(run, size, result, wrong.map(describedCost));
          }
        }
        if (runs('flood')) {
          const size = { count: REQUESTS, width: WIDTH, restMs: REST_MS };
          const { before, times, wrong } = await flood(counted, sampled, size);
          const [p50, p99] = [0.5, 0.99].map((share) => Math.round(percentile(times, share)));
          const late = (p99 ?? Infinity) > LIVE_P99_MS ? [`/livez p99 ${p99} ms`] : [];
          const resting = Math.round(percentile(before, 0.99));
          const result = `/livez p50 ${p50} ms, p99 ${p99} ms of ${times.length}, ${resting} ms before`;
          note('many at once', `${REQUESTS}, ${WIDTH} at a time`, result, [...wrong, ...late]);
        }
        if (runs('accepted')) {
          const holds = await holdsOf(counted);
          const most = Math.max(...holds.map(({ heldMs }) => heldMs));
          const wrong = holds
            .filter(({ heldMs, status }) => heldMs > MOST_HELD_MS || status >= 500)
            .map(({ what, status, heldMs }) => `${what}: ${status}, ${Math.round(heldMs)} ms`);
          note('accepted bodies', `${holds.length}`, `${Math.round(most)} ms at most`, wrong);
        }
      } finally {
        await counted.stop();
      }
    });
  say('');
  for (const line of details) say(line);
  return { failed, report: lines };
};
