import { expect, it } from 'vitest';

import { inOneTrip } from '../../src/db/tenant.ts';
import { Unavailable } from '../../src/kernel/errors.ts';
import { createQueue } from '../../src/kernel/queue.ts';
import { TestClock } from '../support/world/clock.ts';
import { startedWorld } from '../support/world/prepared.ts';

const world = startedWorld();

it('makes up at most sixteen trips at a time, those that wait in their order', async () => {
  const { db } = world.app;
  const { tenantId } = world.admin;
  const begun: number[] = [];
  let answered = 0;
  const all = Array.from({ length: 200 }, (_, number) =>
    inOneTrip(db, tenantId, async (q) => {
      begun.push(number);
      const rows = await q.selectFrom('svc_profile').select('id').limit(1).execute();
      answered += 1;
      // Trips of the platform's own have their places too.
      expect(begun.length - answered).toBeLessThan(16);
      return rows;
    }),
  );
  await Promise.all(all);
  expect(begun).toEqual(all.map((_, number) => number));
});

it('frees the place of work that failed, and refuses work whose turn does not come in time', async () => {
  const clock = new TestClock();
  const queue = createQueue(clock, {
    atOnce: 16,
    waitMs: 10_000,
    refusal: () => new Unavailable('too long'),
  });
  const open = Promise.withResolvers<void>();
  const busy = Array.from({ length: 16 }, () => queue(() => open.promise));
  const late = queue(async () => 'late');
  late.catch(() => {});
  await clock.advance(10_000);
  await expect(late).rejects.toThrow(Unavailable);
  const next = queue(async () => 'next');
  open.reject(new Error('failed'));
  await Promise.allSettled(busy);
  expect(await next).toBe('next');
  expect(await queue(async () => 'free')).toBe('free');
});
