import { startWorld } from '../../world/app.ts';
import type { FreshDatabase } from '../../world/database.ts';
import { lookTasks } from './look-tasks.ts';
import { openPlant, type Plant } from './plant.ts';
import { type Result, run } from './run.ts';
import type { Task } from './task.ts';
import { type DialectName, startVendor, type Vendor } from './vendors.ts';
import { writeTasks } from './write-tasks.ts';

const SEED = 20_261_124;
const DIALECTS = ['openai', 'anthropic'] as const;

export const tasks: readonly Task[] = [...lookTasks, ...writeTasks];

/** Results of a task in both dialects, and whether they are the same bytes. */
export type Pair = {
  task: Task;
  wrong: string[];
  right: Record<DialectName, boolean>;
  isSame: boolean;
};

/** The plant twice in one platform, beside a vendor of each dialect. */
export async function openSuite(database?: FreshDatabase) {
  await using started = new AsyncDisposableStack();
  const vendors: [DialectName, Vendor][] = [];
  for (const [at, dialect] of DIALECTS.entries()) {
    const vendor = await startVendor(dialect, SEED + at);
    started.defer(() => vendor.stop());
    vendors.push([dialect, vendor]);
  }
  const hosts = vendors.map(([, { baseUrl }]) => new URL(baseUrl).host);
  const world = await startWorld({
    environment: { SVC_EGRESS_ALLOW: hosts.join(',') },
    ...(database && { database }),
  });
  started.defer(() => world.stop());
  const plants: Plant[] = [];
  for (const [dialect, vendor] of vendors) plants.push(await openPlant(world, dialect, vendor));
  const open = started.move();
  return {
    async play(task: Task, isStreamed: boolean): Promise<Pair> {
      const results: [DialectName, Result][] = [];
      for (const plant of plants) results.push([plant.dialect, await run(plant, task, isStreamed)]);
      const domains = new Set(results.map(([, { domain }]) => domain));
      return {
        task,
        wrong: [
          ...results.flatMap(([dialect, { wrong }]) => wrong.map((why) => `${dialect}: ${why}`)),
          ...(domains.size > 1 ? [`differ: ${[...domains].join(' | ')}`] : []),
        ],
        right: {
          openai: results.every(([name, { wrong }]) => name !== 'openai' || wrong.length === 0),
          anthropic: results.every(
            ([name, { wrong }]) => name !== 'anthropic' || wrong.length === 0,
          ),
        },
        isSame: domains.size === 1,
      };
    },
    close: () => open.disposeAsync(),
  };
}
