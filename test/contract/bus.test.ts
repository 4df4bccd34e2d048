import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, describe, expect, it } from 'vitest';

import { type Bus, MAX_ATTEMPTS, Unroutable } from '../../src/bus/bus.ts';
import { MemoryBus } from '../../src/bus/memory.ts';
import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import type { Payload } from '../../src/bus/topic/topics.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { Unavailable } from '../../src/kernel/errors.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { numberedResult } from '../support/devices/command-result.ts';
import { freshPrefix, removeBus } from '../support/neighbours/rabbitmq.ts';
import { eventually } from '../support/world/eventually.ts';
import { ImpatientClock } from '../support/world/shifted-clock.ts';

const command = (
  n: number,
  overrides: Partial<Payload<'svc.e.point_command'>> = {},
): Payload<'svc.e.point_command'> => ({
  schemaVersion: 1,
  commandId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  tenantId: '1',
  deviceId: '2',
  pointId: '3',
  type: 'WRITE',
  value: String(n),
  occurredAt: 0,
  expireAt: 10_000,
  remainingMs: 10_000,
  ...overrides,
});

type Member = {
  name: string;
  /** Whether messages outlive the process; else a publish waits until they are stored elsewhere. */
  durable: boolean;
  open(prefix: string): Promise<Bus>;
  remove(prefix: string): Promise<void>;
};

const shared = { clock: systemClock, log: createLog('silent') };
const memory: Member = {
  name: 'memory',
  durable: false,
  // The waits between attempts: 200, 100 and 500 ms.
  open: async () => new MemoryBus({ ...shared, clock: new ImpatientClock(1_000, 10) }),
  remove: async () => {},
};
const rabbitmq = (url: string): Member => ({
  name: 'RabbitMQ',
  durable: true,
  open: (prefix) => openRabbitmqBus({ ...shared, url, prefix }),
  remove: (prefix) => removeBus(url, prefix, ['q', 'q2', 'own', 'all', 'after', 'one', 'two']),
});

/** Every bus passes the same suite; a new one is a row here. */
const amqpUrl = process.env['AMQP_URL'];
const buses: Member[] = [memory, ...(amqpUrl ? [rabbitmq(amqpUrl)] : [])];

describe.each(buses)('the $name bus', ({ open, remove, durable }) => {
  let bus: Bus;
  let prefix: string;
  const start = async (): Promise<Bus> => (bus = await open((prefix = freshPrefix())));
  afterEach(async () => {
    await bus.close();
    await remove(prefix);
  });

  const collect = async (
    key: string,
    queue: string,
    count: number,
  ): Promise<Promise<string[]>[]> => {
    const seen: string[] = [];
    const done = Promise.withResolvers<string[]>();
    await bus.subscribe('svc.e.point_command', { queue, key }, async ({ value }) => {
      seen.push(String(value));
      if (seen.length === count) done.resolve(seen);
    });
    return [done.promise];
  };

  it('hands a queue its messages in order of publication', async () => {
    await start();
    const [seen] = await collect('A', 'q', 50);
    for (let n = 1; n <= 50; n += 1)
      await bus.publish('svc.e.point_command', command(n), { key: 'A' });
    expect(await seen).toEqual(Array.from({ length: 50 }, (_, i) => String(i + 1)));
  });

  it('routes by key, and gives each queue bound with # a copy', async () => {
    await start();
    const [own] = await collect('A', 'own', 1);
    const [all] = await collect('#', 'all', 2);
    await bus.publish('svc.e.point_command', command(1), { key: 'A' });
    await bus.publish('svc.e.point_command', command(2), { key: 'B' });
    expect(await own).toEqual(['1']);
    expect(await all).toEqual(['1', '2']);
  });

  it('shares the messages of one queue between its consumers', async () => {
    await start();
    const counts = [0, 0];
    const done = Promise.withResolvers<void>();
    for (const consumer of [0, 1]) {
      await bus.subscribe('svc.e.point_command', { queue: 'q', key: 'A' }, async () => {
        counts[consumer] = (counts[consumer] ?? 0) + 1;
        if ((counts[0] ?? 0) + (counts[1] ?? 0) === 20) done.resolve();
        await new Promise(setImmediate);
      });
    }
    for (let n = 1; n <= 20; n += 1)
      await bus.publish('svc.e.point_command', command(n), { key: 'A' });
    await done.promise;
    expect(Math.min(...counts)).toBeGreaterThan(0);
  });

  it('refuses a mandatory message nobody listens for', async () => {
    await start();
    await expect(
      bus.publish('svc.e.point_command', command(1), { key: 'nobody', mandatory: true }),
    ).rejects.toThrow(Unroutable);
  });

  it('refuses a payload that is not its topic’s', async () => {
    await start();
    await expect(
      bus.publish('svc.e.point_command', command(1, { tenantId: 'x' }), { key: 'A' }),
    ).rejects.toThrow();
  });

  it('tries a failing handler again, at most the stated number of times', async () => {
    await start();
    const attempts: number[] = [];
    const last = Promise.withResolvers<void>();
    await bus.subscribe(
      'svc.e.point_command',
      { queue: 'q', key: 'A' },
      async (_payload, { attempt }) => {
        attempts.push(attempt);
        if (attempt === MAX_ATTEMPTS) last.resolve();
        throw new Error('not now');
      },
    );
    await bus.publish('svc.e.point_command', command(1), { key: 'A' });
    await last.promise;
    const [after] = await collect('B', 'after', 1);
    await bus.publish('svc.e.point_command', command(2), { key: 'B' });
    await after;
    expect(attempts).toEqual([1, 2, 3, 4]);
  });

  it('waits for a handler that could not work, however often: that is no fault of the message', async () => {
    await start();
    const attempts: number[] = [];
    const done = Promise.withResolvers<void>();
    const handle = async (_: unknown, { attempt }: { attempt: number }): Promise<void> => {
      if (attempts.push(attempt) <= MAX_ATTEMPTS) throw new Unavailable('the database restarts');
      done.resolve();
    };
    await bus.subscribe('svc.e.point_command_result', { queue: 'q', key: '#' }, handle);
    await bus.publish('svc.e.point_command_result', numberedResult(1), { key: '1' });
    await done.promise;
    expect(attempts).toEqual(Array.from({ length: MAX_ATTEMPTS + 1 }, (_, i) => i + 1));
  });

  it('lets nobody wait any more once it closes', async () => {
    await start();
    const asked = Promise.withResolvers<void>();
    const handle = async (): Promise<void> => {
      asked.resolve();
      throw new Unavailable('the database restarts');
    };
    await bus.subscribe('svc.e.point_command', { queue: 'q', key: 'A' }, handle);
    await bus.publish('svc.e.point_command', command(1), { key: 'A' });
    await asked.promise;
    await expect(bus.close()).resolves.toBeUndefined();
  });

  it('never hands a command out again that became a dead letter: its time is over', async () => {
    await start();
    const seen: number[] = [];
    let fails = true;
    const subscription = { queue: 'svc.q.test.dead', key: 'K' };
    await bus.subscribe('svc.e.point_command', subscription, async (_, { attempt }) => {
      if (fails) throw new Error('a full disk');
      seen.push(attempt);
    });
    await bus.publish('svc.e.point_command', command(1), { key: 'K' });
    await eventually(
      async () => (await bus.dead.list(10)).total,
      (total) => total === 1,
      40_000,
    );
    fails = false;
    expect(await bus.dead.replay('all')).toBe(0);
    expect(seen).toEqual([]);
    expect(await bus.dead.drop('all')).toBe(1);
  });

  it('leaves a message that waits to the next consumer when its subscription ends', async () => {
    await start();
    const asked = Promise.withResolvers<void>();
    const handle = async (): Promise<void> => {
      asked.resolve();
      throw new Unavailable('the database restarts');
    };
    const first = await bus.subscribe('svc.e.point_command', { queue: 'q', key: 'A' }, handle);
    await bus.publish('svc.e.point_command', command(1), { key: 'A' });
    await asked.promise;
    // Until it has waited several times, so that the next wait would be longer than this test.
    await sleep(2_000);
    await first.cancel();
    const [seen] = await collect('A', 'q', 1);
    expect(await seen).toEqual(['1']);
  });

  it('does not hand a message out again that was acknowledged before its handler failed', async () => {
    await start();
    const attempts: number[] = [];
    const second = Promise.withResolvers<void>();
    await bus.subscribe(
      'svc.e.point_command',
      { queue: 'q', key: 'A' },
      async (_payload, delivery) => {
        delivery.ack();
        if (attempts.push(delivery.attempt) === 2) second.resolve();
        throw new Error('after the acknowledgement');
      },
    );
    await bus.publish('svc.e.point_command', command(1), { key: 'A' });
    await bus.publish('svc.e.point_command', command(2), { key: 'A' });
    await second.promise;
    await sleep(300); // longer than a bus waits before it tries again
    expect(attempts).toEqual([1, 1]);
  });

  it('confirms a message that must be kept only when it cannot be lost any more', async () => {
    await start();
    const stored = Promise.withResolvers<string>();
    const store = async ({ responseValue }: Payload<'svc.e.point_command_result'>) => {
      await new Promise(setImmediate);
      stored.resolve(String(responseValue));
    };
    const options = { queue: 'svc.q.point_command_result', key: '#' };
    const publish = () =>
      bus.publish('svc.e.point_command_result', numberedResult(1), { key: '1' });
    if (durable) {
      // The process ends after the confirmation, and its consumer was never there.
      await publish();
      await bus.close();
      bus = await open(prefix);
      await bus.subscribe('svc.e.point_command_result', options, store);
    } else {
      await bus.subscribe('svc.e.point_command_result', options, store);
      await publish();
    }
    const confirmed = await Promise.race([
      stored.promise,
      durable ? stored.promise : Promise.resolve('confirmed before it was stored'),
    ]);
    expect(confirmed).toBe('1');
  });

  it('does not hand out a message whose time is over', async () => {
    await start();
    await bus.subscribe('svc.e.point_command', { queue: 'q', key: 'A' }, () =>
      Promise.reject(new Error('too late')),
    );
    await expect(
      bus.publish('svc.e.point_command', command(1), { key: 'A', ttlMs: 0 }),
    ).resolves.toBeUndefined();
    const [seen] = await collect('B', 'q2', 1);
    await bus.publish('svc.e.point_command', command(2), { key: 'B', ttlMs: 60_000 });
    expect(await seen).toEqual(['2']);
  });

  it('gives each consumer a payload of its own', async () => {
    await start();
    const values: string[] = [];
    const both = Promise.withResolvers<void>();
    for (const queue of ['one', 'two']) {
      await bus.subscribe('svc.e.point_command', { queue, key: 'A' }, async (payload) => {
        values.push(String(payload.value));
        payload.value = 'changed';
        if (values.length === 2) both.resolve();
      });
    }
    await bus.publish('svc.e.point_command', command(7), { key: 'A' });
    await both.promise;
    expect(values).toEqual(['7', '7']);
  });
});
