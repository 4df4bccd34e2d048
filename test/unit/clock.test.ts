import { setTimeout as sleep } from 'node:timers/promises';

import { expect, it } from 'vitest';

import { systemClock } from '../../src/kernel/clock.ts';

it.each(['after', 'every'] as const)(
  'does not take a time that Node cannot hold for no time at all: %s',
  async (wait) => {
    let fired = 0;
    const cancel = systemClock[wait](8.64e15, () => {
      fired += 1;
    });
    await sleep(20);
    cancel();
    expect(fired).toBe(0);
  },
);
