import { expect, it } from 'vitest';

import { claims } from '../support/runs/facts/claims.ts';
import { fates, tellFacts } from '../support/runs/facts/run.ts';

it('says of each turn what the tables say, whatever its model claims in ten languages', async () => {
  const { turns, wrong } = await tellFacts(claims.length, 20_261_130);
  expect(wrong).toEqual([]);
  expect(turns).toHaveLength(claims.length * fates.length);
  expect(new Set(turns.map(({ language }) => language)).size).toBe(claims.length);
});
