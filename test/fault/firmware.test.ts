import { expect, it } from 'vitest';

import { rollOutTo } from '../support/runs/firmware/rollout.ts';

it('stops a roll-out to 200 devices of which 15 % are bad by itself, and leaves the others as they are', async () => {
  const { facts, wrong } = await rollOutTo(200);
  expect(wrong).toEqual([]);
  expect(facts).toContain('STOPPED behind wave 1');
}, 480_000);
