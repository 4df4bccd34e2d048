import { describe, expect, it } from 'vitest';

import { listenToForeign } from '../support/runs/listeners/foreign.ts';
import { noticeTimes } from '../support/runs/listeners/notice.ts';
import { startedWorld } from '../support/world/prepared.ts';

/** A sample of `npm run prove -- listeners`. */
describe('listeners', () => {
  const world = startedWorld();

  it('are told nothing of two hundred resources that another tenant writes', async () => {
    expect(await listenToForeign(world, 200)).toMatchObject({ written: 200, told: 0 });
  });

  it('are all told of each commit', async () => {
    expect(await noticeTimes(world, { subscribers: 60, rounds: 2 })).toHaveLength(120);
  });
});
