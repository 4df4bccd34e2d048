import { expect, it } from 'vitest';

import { kinds, type Kind, openDecisions } from '../support/runs/decisions.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { seeded } from '../support/world/seeded.ts';

const ROUNDS = 24;

const world = startedWorld();

it('is decided once, and sent at most once, by 32 calls at the same moment on two nodes', async () => {
  const { round } = openDecisions(world, seeded(20_261_124));
  const all = Object.keys(kinds).filter((kind): kind is Kind => kind in kinds);
  const decided = new Set<string>();
  for (let n = 0; n < ROUNDS; n += 1) {
    const { kind, decided: end, wrong } = await round(all[n % all.length] ?? 'confirms alone');
    expect({ kind, wrong }).toEqual({ kind, wrong: [] });
    decided.add(end);
  }
  expect(decided.has('confirm')).toBe(true);
  expect(decided.size).toBeGreaterThan(1);
});
