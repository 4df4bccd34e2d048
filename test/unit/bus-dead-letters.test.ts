import { expect, it } from 'vitest';

import { createHeldLetters } from '../../src/bus/dead-letter.ts';
import { MemoryBus } from '../../src/bus/memory.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { TestClock } from '../support/world/clock.ts';
import { eventually } from '../support/world/eventually.ts';

it('a dead letter of the in-process bus is found by its id, the others are not read for it', async () => {
  const bus = new MemoryBus({ clock: new TestClock(), log: createLog('silent') });
  const letters = createHeldLetters();
  const topic = 'svc.e.notify';
  for (const n of ['1', '2', '3']) {
    const payload = { tenantId: '1', notifyHistoryId: n, channelId: '9' };
    const place = { topic, queue: 'q', key: '#', messageId: `m${n}` } as const;
    await letters.add({ ...place, reason: 'rejected', at: new Date(0), payload });
  }
  const read: string[] = [];
  bus.keepDeadIn({
    ...letters,
    async list(limit) {
      const listed = await letters.list(limit);
      for (const { id } of listed.letters) read.push(id);
      return listed;
    },
    async next(which, after) {
      const letter = await letters.next(which, after);
      if (letter) read.push(letter.id);
      return letter;
    },
  });
  const seen: string[] = [];
  await bus.subscribe(topic, { queue: 'q', key: '#' }, async ({ notifyHistoryId }) => {
    seen.push(notifyHistoryId);
  });
  expect(await bus.dead.replay(['2', 'no id'])).toBe(1);
  await eventually(
    async () => seen,
    (all) => all.length > 0,
  );
  expect([seen, read]).toEqual([['2'], ['2']]);
  await eventually(
    async () => (await letters.list(10)).total,
    (total) => total === 2,
  );
  expect(await bus.dead.drop(['3'])).toBe(1);
  expect(read).toEqual(['2']);
  expect(await bus.dead.replay('all')).toBe(1);
  await bus.close();
});
