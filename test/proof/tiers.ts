import { runTiers } from '../support/runs/history/tiers.ts';
import { startWorld } from '../support/world/app.ts';
import { HeldClock } from '../support/world/shifted-clock.ts';
import { onEngine, engines } from './on-engine.ts';
import { linesOf, type Proof } from './proof.ts';

const VALUES = Number(process.env['TIERS_VALUES'] ?? 10_000_000);
const NOW = Date.UTC(2026, 9, 25, 10, 20, 17);
const HOURS = 52;
/** About 50,000 values of the ten points of a tenant. */
const EVERY_MS = 40_000;

/**
 * Stores values in random order, late and again, of one tenant after the other, while turns close them and end between any
 * two of their statements; compares what every reader answers with a plain table of the same values.
 */
export const tiers: Proof = async ({ print }) => {
  let failed = 0;
  const { lines, say } = linesOf(print);
  say(
    '| engine | tenants | values | again | turns | turns that ended between | answers that differ |',
  );
  say('|---|---|---|---|---|---|---|');
  for (const engine of engines())
    await onEngine(engine, async (environment) => {
      const clock = new HeldClock();
      clock.shift(NOW - clock.now());
      const database = { environment, remove: () => Promise.resolve() };
      const world = await startWorld({ clock, database, environment: { SVC_DEMO: 'off' } });
      try {
        clock.hold();
        const sums = { tenants: 0, values: 0, again: 0, turns: 0, ended: 0 };
        const differ: string[] = [];
        while (sums.values < VALUES / engines().length) {
          clock.shift(NOW - clock.now());
          const session = await world.tenant(`tiers-${sums.tenants}`);
          const seed = 1 + sums.tenants;
          const ran = await runTiers(world, session, {
            seed,
            now: NOW,
            hours: HOURS,
            everyMs: EVERY_MS,
          });
          sums.tenants += 1;
          for (const name of ['values', 'again', 'turns', 'ended'] as const)
            sums[name] += ran[name];
          differ.push(...ran.differ.map((what) => `seed ${seed}: ${what}`));
        }
        failed += differ.length;
        say(
          `| ${engine} | ${Object.values(sums).join(' | ')} | ${differ.slice(0, 20).join('; ') || 0} |`,
        );
      } finally {
        await world.stop();
      }
    });
  return { failed, report: lines };
};
