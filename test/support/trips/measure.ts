import { usageWritten } from '../../../src/auth/agent/usage-store.ts';
import { mcpCallsWritten } from '../../../src/auth/connection/audit.ts';
import type { Call } from './call.ts';
import type { Trip } from './meter.ts';
import type { Site } from './site.ts';

/** Trips of a call: just after another one of its caller, and after a silence of two seconds. */
export type Measured = { warm: Trip[]; cold: Trip[] };

const SILENCE_MS = 2_100;
/** The longest life of a cached fact, a set of permissions; below, how many calls stay within it. */
const LIFE_MS = 300_000;
const CALLS = Math.floor(LIFE_MS / SILENCE_MS / 2);

/** Measures each call by itself; nothing else uses the database meanwhile. */
export async function measured(
  { clock, meter, world }: Site,
  calls: readonly Call[],
): Promise<Map<string, Measured>> {
  const all = new Map<string, Measured>();
  // What tool calls leave is counted by itself (audit.ts); no timer writes it into a measurement.
  const batchesWritten = () => Promise.all([mcpCallsWritten(world.app), usageWritten(world.app)]);
  for (const [at, { name, prepare, touch }] of calls.entries()) {
    // All facts about the callers are read anew here, so that none ends in the middle of a measurement.
    if (at % CALLS === 0) clock.shift(LIFE_MS);
    const ready = async () => {
      await batchesWritten();
      const go = await prepare();
      await meter.settled();
      await touch();
      return go;
    };
    // What a process reads once, and no more while it runs, is no part of either.
    const once = await prepare();
    await once();
    await meter.settled();
    const first = await ready();
    clock.shift(SILENCE_MS);
    const counted = (trips: readonly Trip[]) =>
      withoutUse(name.includes(' batch of ') ? trips : withoutBatches(trips));
    const cold = counted(await meter.tripsOf(first));
    const warm = counted(await meter.tripsOf(await ready()));
    all.set(name, { warm, cold });
  }
  return all;
}

/** Without what a timer wrote of the calls before, which a slow machine lets happen in the middle of a call. */
const withoutBatches = (trips: readonly Trip[]): Trip[] =>
  trips.filter((texts) => !texts.some((text) => /insert into "?svc_agent_usage/.test(text)));

/** Without the time at which the caller was last used: it is written once a minute, whatever the call is. */
function withoutUse(trips: readonly Trip[]): Trip[] {
  const at = trips.findIndex((texts) => texts.some((text) => /set "last_used_time" =/.test(text)));
  if (at === -1) return [...trips];
  const isCommitted = trips[at + 1]?.join() === 'commit';
  return trips.toSpliced(at, isCommitted ? 2 : 1);
}
