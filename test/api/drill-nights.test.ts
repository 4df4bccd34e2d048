import { expect, it } from 'vitest';

import { compareNights } from '../support/runs/nights/nights.ts';

it('a drill answers what the ledger does then, in random nights', async () => {
  const { messages, taken, differing } = await compareNights(20, 1);
  expect(differing).toEqual([]);
  expect(messages).toBeGreaterThan(20);
  expect(taken).toBeGreaterThan(20);
}, 300_000);

it('a drill forgets a reminder that a confirmation stops, as the ledger does', async () => {
  const { differing, taken } = await compareNights(1, 1040);
  expect(differing).toEqual([]);
  expect(taken).toBeGreaterThan(0);
}, 300_000);
