import { MemoryBus } from '../../../src/bus/memory.ts';
import { startWorld, type World } from '../world/app.ts';
import type { FreshDatabase } from '../world/database.ts';
import { ShiftedClock } from '../world/shifted-clock.ts';
import { hatch } from './canary.ts';
import { createRandom, seedFor } from './random.ts';
import type { Surface } from './surface.ts';
import { Tally } from './tally.ts';
import { faultsIn, keepingLog, type LoggedErrors, residentMb, watchProcess } from './watch.ts';

const MAX_GROWTH_MB = 150;
/** So many inputs go ahead before memory is looked at: code that has run once takes room for good. */
const WARM_UP_PART = 0.02;

export type Siege = { tally: Tally; growthMb: number; seconds: number; loggedErrors: LoggedErrors };

/** Attacks one surface of a platform of its own, then looks what is left of the process and of the canary. */
export async function besiege(
  surface: Surface,
  { inputs, seconds, database }: { inputs: number; seconds: number; database?: FreshDatabase },
): Promise<Siege> {
  const tally = new Tally();
  const watch = watchProcess();
  const log = keepingLog();
  const neighbour = 'beside' in surface ? await surface.beside() : null;
  const attack = 'attack' in surface ? surface.attack : neighbour?.attack;
  const clock = neighbour?.clock ?? new ShiftedClock();
  const startedAt = performance.now();
  let world: World | null = null;
  try {
    world = await startWorld({
      environment: { SVC_DEMO: 'on', ...neighbour?.environment },
      log,
      clock,
      ...(neighbour?.tap ? { bus: neighbour.tap(new MemoryBus({ clock, log })) } : {}),
      ...(database ? { database } : {}),
    });
    const canary = await hatch(world);
    const random = createRandom(seedFor(surface.name));
    const until = performance.now() + seconds * 1000;
    const warmUp = Math.floor(inputs * WARM_UP_PART);
    if (warmUp > 0) await attack?.({ world, random, tally, inputs: warmUp, until });
    const beforeMb = await residentMb();
    await attack?.({ world, random, tally, inputs: inputs - warmUp, until });
    // What a few inputs leave says nothing about many.
    const growthMb = warmUp > 0 ? (await residentMb()) - beforeMb : 0;
    for (const harm of [...(await canary.harm()), ...faultsIn(log.errors)]) tally.fail(harm);
    if (growthMb > MAX_GROWTH_MB) tally.fail(`the process grew by ${Math.round(growthMb)} MB`);
    return {
      tally,
      growthMb,
      seconds: (performance.now() - startedAt) / 1000,
      loggedErrors: log.errors,
    };
  } finally {
    await world?.stop();
    await neighbour?.stop();
    watch.stop();
    for (const death of watch.deaths) tally.fail(`uncaught: ${death}`);
  }
}
