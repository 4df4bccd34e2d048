import { setTimeout as sleep } from 'node:timers/promises';

import { createRandom } from '../../hostile/random.ts';
import type { Session } from '../../people/session.ts';
import { fresh } from '../../world/fresh-name.ts';
import { type Caller, kinds, type Trial } from './kinds.ts';

/** When a revocation has to act everywhere, after its answer. */
const ACTS_MS = 50;
const PAUSE_MS = 6;
const FIRST_MS = 30_000;

export type Gateways = {
  /** On one database; each has caches of its own. */
  bases: readonly string[];
  admin: Session;
  /** Names of the profiles that begin so, as the database has them. */
  profilesNamed(prefix: string): Promise<readonly string[]>;
};

/** Times in ms after the answer of the revocation; negative before it. */
export type Outcome = {
  kind: string;
  calls: number;
  writes: number;
  /** When the last call with an effect began and ended. */
  lastBegan: number;
  lastEnded: number;
  wrong: string[];
};

type Call = { began: number; ended: number; hasEffect: boolean; isWrite: boolean; name: string };

/** Trials of each kind in turn: calls run at every gateway while their right is taken away at one of them. */
export async function* revokeOften(
  gateways: Gateways,
  { trials, seed }: { trials: number; seed: number },
): AsyncGenerator<Outcome> {
  const random = createRandom(seed);
  const { admin, bases } = gateways;
  const names = Object.keys(kinds);
  const makers = new Map<string, (nr: number) => Promise<Trial>>();
  for (const [name, make] of Object.entries(kinds)) makers.set(name, await make(admin, bases));
  for (let nr = 0; nr < trials; nr += 1) {
    const kind = names[nr % names.length] ?? '';
    const trial = await makers.get(kind)?.(Math.floor(nr / names.length));
    if (!trial) throw new Error('no trial');
    const prefix = fresh('revocation');
    const wait = random.upTo(60);
    yield { kind, ...(await once(gateways, trial, { prefix, wait, at: random.pick(bases) })) };
    await Promise.all(trial.callers.map((caller) => caller.close()));
    await trial.restore();
  }
}

async function once(
  { bases, profilesNamed }: Gateways,
  trial: Trial,
  { prefix, wait, at }: { prefix: string; wait: number; at: string },
): Promise<Omit<Outcome, 'kind'>> {
  const calls: Call[] = [];
  let answered = Number.POSITIVE_INFINITY;
  const firsts: Promise<unknown>[] = [];
  const keepCalling = async (base: string, { ask, isWrite }: Caller, first: () => void) => {
    for (let began = 0; began <= answered + ACTS_MS;) {
      const name = `${prefix}-${calls.length}`;
      began = performance.now();
      const call = { began, ended: 0, hasEffect: false, isWrite, name };
      calls.push(call);
      call.hasEffect = await ask(base, name).catch(() => false);
      call.ended = performance.now();
      if (call.hasEffect) first();
      await sleep(PAUSE_MS);
    }
  };
  const loops = bases.flatMap((base) =>
    trial.callers.map((caller) => {
      const first = Promise.withResolvers<void>();
      firsts.push(first.promise);
      return keepCalling(base, caller, first.resolve);
    }),
  );
  const wrong: string[] = [];
  const isUnderWay = await Promise.race([
    Promise.all(firsts).then(() => true),
    sleep(FIRST_MS, false, { ref: false }),
  ]);
  if (!isUnderWay) wrong.push('no effect before the revocation');
  await sleep(wait);
  try {
    await trial.revoke(at);
  } catch (error) {
    wrong.push(String(error));
  }
  answered = performance.now();
  await Promise.all(loops);
  const kept = new Set(await profilesNamed(prefix));
  for (const { began, hasEffect, isWrite, name } of calls) {
    const after = began - answered;
    if (hasEffect && after > ACTS_MS) wrong.push(`${after.toFixed(0)} ms after it a call worked`);
    if (isWrite && after > 0 && (hasEffect || kept.has(name)))
      wrong.push(`${after.toFixed(0)} ms after it a row was written`);
  }
  const worked = calls.filter(({ hasEffect }) => hasEffect);
  return {
    calls: calls.length,
    writes: kept.size,
    lastBegan: Math.max(...worked.map(({ began }) => began)) - answered,
    lastEnded: Math.max(...worked.map(({ ended }) => ended)) - answered,
    wrong,
  };
}
