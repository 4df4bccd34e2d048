import { expect, it } from 'vitest';

import { judged, shareNamed } from '../support/runs/incidents/judge.ts';
import { startedWorld } from '../support/world/prepared.ts';

// `npm run prove -- incidents` goes through 200.
const INCIDENTS = 26;

const world = startedWorld();

it('the causes of simulated incidents are named first or among three, and every citation resolves', async () => {
  const seeds = Array.from({ length: INCIDENTS }, (_, index) => index + 1);
  const all = await judged(world, await world.tenant('incidents'), seeds);
  const missed = all
    .filter(({ rank }) => rank !== 1)
    .map(({ incident, rank, causes }) => JSON.stringify({ rank, incident, causes }));
  expect(all.flatMap(({ dead }) => dead)).toEqual([]);
  expect(shareNamed(all, 1), missed.join('\n')).toBeGreaterThanOrEqual(0.85);
  expect(shareNamed(all, 3), missed.join('\n')).toBeGreaterThanOrEqual(0.97);
});
