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
    `Seed ${hostileSeed()}; MB after 2,000 of each revision, and at the end: resident, and live after a full collection.`,
  );
  say('');
  say(
    '| engine | revision | bodies | exits and 5xx | resident | after | live | after | live growth |',
  );
  say('|---|---|---|---|---|---|---|---|---|');
  for (const engine of engines().filter((one) => only === '' || one === only))
    await onEngine(engine, async (environment) => {
      const random = createRandom(hostileSeed());
      for (const { revision, sent, statuses, rss, live, wrong } of await sendBodies(
        environment,
        random,
        BODIES,
      )) {
        const [before, after] = live.map(Math.round);
        const growth = Number(after) - Number(before);
        failed += wrong.length + (growth > MOST_GROWTH_MB ? 1 : 0);
        say(
          `| ${[engine, revision, sent, wrong.length, ...rss, before, after, growth].join(' | ')} |`,
        );
        const outcomes = [...statuses].map(([outcome, count]) => `${outcome} ×${count}`);
        details.push(`- ${engine}, ${revision}: ${outcomes.join(', ')}`, ...wrong);
      }
    });
  say('');
  for (const line of details) say(line);
  return { failed, report: lines };
};
