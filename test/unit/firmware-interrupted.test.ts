import { expect, it } from 'vitest';

import { createInterruptedUpdates } from '../../driver/sdk/update/interrupted.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const task = (deviceId: string, updateId: string) => ({ deviceId, updateId, remainingMs: 60_000 });

it('an update that waits for its device is taken once, with the time that is left for it', () => {
  const clock = new ShiftedClock();
  const kept = createInterruptedUpdates<ReturnType<typeof task>>(clock);
  kept.keep(task('1', 'a'));
  kept.keep(task('1', 'b'));
  clock.shift(20_000);
  const taken = kept.take('1');
  expect(taken).toMatchObject({ updateId: 'b' });
  expect(taken?.remainingMs).toBeLessThanOrEqual(40_000);
  expect(kept.take('1')).toBeNull();
  expect(kept.take('2')).toBeNull();
});

it('an update that the center does not hand out any more is not gone on with', () => {
  const clock = new ShiftedClock();
  const kept = createInterruptedUpdates<ReturnType<typeof task>>(clock);
  kept.keep(task('1', 'a'));
  clock.shift(46_000);
  expect(kept.take('1')).toBeNull();
});
