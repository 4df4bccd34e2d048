import { hostileSeed, createRandom } from '../support/hostile/random.ts';
import { sendBodies } from '../support/runs/bodies.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const BODIES = 10_000;
const MOST_GROWTH_MB = 100;

/** Sends hostile bodies of each revision to a server of its own process. */
export const bodies: Proof = async ({ print, only }) => {
  const { lines, say } = linesOf(print);
  let failed = 0;
  const details: string[] = [];
  say(
    `Seed ${hostileSeed()}. Memory in MB, after 2,000 bodies of each revision and after all: what the process holds when full collections free nothing more (live: heap and buffers; resident: all of it, the embedded database too). Each may grow by ${MOST_GROWTH_MB}. Uncollected is the resident size with the last body: V8 collects by the memory of the machine, not by what is live.`,
  );
  say('');
  say(
    '| engine | revision | bodies | exits and 5xx | live | after | resident | after | uncollected |',
  );
  say('|---|---|---|---|---|---|---|---|---|');
  for (const engine of engines().filter((one) => only === '' || one === only))
    await onEngine(engine, async (environment) => {
      const random = createRandom(hostileSeed());
      for (const run of await sendBodies(environment, random, BODIES)) {
        const { revision, sent, statuses, live, resident, uncollected, wrong } = run;
        const grown = [live, resident].filter(([before, after]) => after - before > MOST_GROWTH_MB);
        failed += wrong.length + grown.length;
        say(
          `| ${[engine, revision, sent, wrong.length, ...live, ...resident, uncollected].join(' | ')} |`,
        );
        const outcomes = [...statuses].map(([outcome, count]) => `${outcome} ×${count}`);
        details.push(`- ${engine}, ${revision}: ${outcomes.join(', ')}`, ...wrong);
      }
    });
  say('');
  for (const line of details) say(line);
  return { failed, report: lines };
};
