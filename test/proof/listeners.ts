import { percentile } from '../bench/percentile.ts';
import { listenToForeign } from '../support/runs/listeners/foreign.ts';
import { readThroughKills } from '../support/runs/listeners/kills.ts';
import { noticeTimes } from '../support/runs/listeners/notice.ts';
import { byStreaming, byWaiting } from '../support/runs/listeners/ways.ts';
import { startWorld } from '../support/world/app.ts';
import { seeded } from '../support/world/seeded.ts';
import { engines, onEngine } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const URIS = 10_000;
const SUBSCRIBERS = 1_000;
const ROUNDS = 20;
const KILLS = 200;
const SEED = 11;
const P99_MS = 500;
const READERS = [
  { part: 'kills', run: 'read by cursor', way: byWaiting },
  { part: 'stream', run: 'streamed by cursor', way: byStreaming },
];

/**
 * Listeners of one tenant to what another one writes; how long a notice takes to all subscribers; a reader and a
 * server that are killed at random. The command line narrows it to `foreign`, `notice`, `kills` or `stream`.
 */
export const listeners: Proof = async ({ print, only }) => {
  let failed = 0;
  const { lines, say } = linesOf(print);
  const runs = (part: string): boolean => only === '' || only === part;
  say(`seed ${SEED}`);
  say('');
  say('| engine | run | size | result | wrong |');
  say('|---|---|---|---|---|');
  for (const engine of engines()) {
    const note = (run: string, size: string, result: string, wrong: number): void => {
      failed += wrong;
      say(`| ${engine} | ${run} | ${size} | ${result} | ${wrong} |`);
    };
    if (runs('foreign') || runs('notice'))
      await onEngine(engine, async (environment) => {
        const world = await startWorld({ database: { environment, remove: async () => {} } });
        try {
          if (runs('foreign')) {
            const { uris, streams, told } = await listenToForeign(world, URIS);
            const size = `${uris} URIs in ${streams} streams`;
            note('written by another tenant', size, `${told} notices`, told);
          }
          if (runs('notice')) {
            const times = await noticeTimes(world, { subscribers: SUBSCRIBERS, rounds: ROUNDS });
            const [p50, p99] = [0.5, 0.99].map((share) => Math.round(percentile(times, share)));
            const size = `${SUBSCRIBERS} subscribers, ${ROUNDS} commits`;
            const isSlow = (p99 ?? Infinity) > P99_MS;
            note('commit to notice', size, `p50 ${p50} ms, p99 ${p99} ms`, Number(isSlow));
          }
        } finally {
          await world.stop();
        }
      });
    for (const { part, run, way } of READERS)
      if (runs(part))
        await onEngine(engine, async (environment) => {
          const found = await readThroughKills(environment, KILLS, seeded(SEED), way);
          const { kills, events, missed, doubled, outOfOrder } = found;
          const size = `${kills.server} kills of the server, ${kills.client} of the client`;
          const result = `${events} events, ${missed} missed, ${doubled} doubled`;
          note(run, size, result, missed + doubled + outOfOrder);
        });
  }
  return { failed, report: lines };
};
