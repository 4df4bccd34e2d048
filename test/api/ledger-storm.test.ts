import { expect, it } from 'vitest';

import { storm } from '../support/runs/storm/storm.ts';

it('channels know what the ledger says, in order and once, while receivers fail in every way', async () => {
  const { messages, known, wrong } = await storm(30, 7);
  expect(wrong).toEqual([]);
  expect(messages).toBeGreaterThan(60);
  expect(known).toBeGreaterThan(60);
}, 300_000);
