import { expect, it } from 'vitest';

import { createUpdateChecks } from '../../driver/sdk/update/checks.ts';
import { ShiftedClock } from '../support/world/shifted-clock.ts';

const task = (deviceId: string) => ({ deviceId, remainingMs: 60_000 });

it('looks when asked to, and when the device comes back, at most every half minute', async () => {
  const clock = new ShiftedClock();
  let [looks, isKnown, isStopped] = [0, false, false];
  const later = createUpdateChecks(clock, {
    isStopped: () => isStopped,
    look: async () => {
      looks += 1;
      return isKnown;
    },
  });
  later.take(task('1'));
  await later.idle();
  later.cameBack('1');
  later.cameBack('2');
  await later.idle();
  expect(looks).toBe(1);
  clock.shift(31_000);
  later.cameBack('1');
  await later.idle();
  expect(looks).toBe(2);
  clock.shift(31_000);
  isStopped = true;
  later.cameBack('1');
  isStopped = false;
  isKnown = true;
  later.take(task('1'));
  await later.idle();
  expect(looks).toBe(3);
  clock.shift(31_000);
  later.cameBack('1');
  await later.idle();
  expect(looks).toBe(3);
});

it('looks at sixteen devices at once, and at the others when they come back', async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const looked: string[] = [];
  const later = createUpdateChecks<ReturnType<typeof task>>(new ShiftedClock(), {
    isStopped: () => false,
    look: ({ deviceId }) => {
      looked.push(deviceId);
      return promise;
    },
  });
  for (let n = 0; n < 20; n += 1) later.take(task(String(n)));
  expect(looked).toHaveLength(16);
  resolve(true);
  await later.idle();
  later.cameBack('19');
  await later.idle();
  expect(looked.at(-1)).toBe('19');
});
