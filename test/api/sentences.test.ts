import { expect, it } from 'vitest';

import { openHistories } from '../support/runs/histories/history.ts';
import { startedWorld } from '../support/world/prepared.ts';
import { seeded } from '../support/world/seeded.ts';

const HISTORIES = 12;

const world = startedWorld();

it('of actions agree with the rows when they are read, in random histories, at every door', async () => {
  const history = openHistories(world, seeded(20_261_127));
  let read = 0;
  for (let n = 0; n < HISTORIES; n += 1) {
    const one = await history();
    expect(one.wrong).toEqual([]);
    read += one.read;
  }
  expect(read).toBeGreaterThan(200);
}, 300_000);
