import { describe, expect, it } from 'vitest';

import { type Task, verdictOn } from '../../src/alarm/deliver/deliver.ts';
import { FairQueue } from '../../src/alarm/deliver/dispatch.ts';
import {
  after,
  allowing,
  type DeliveryEvent,
  DeliveryStatus,
  transitions,
} from '../../src/alarm/kind/delivery-status.ts';

describe('the states of a notification', () => {
  const events: DeliveryEvent[] = ['send', 'succeed', 'fail', 'retry'];

  it('are the five of the specification, and lead where the table says and nowhere else', () => {
    expect(DeliveryStatus).toEqual({ PENDING: 0, SENT: 1, SUCCESS: 2, FAILED: 3, RETRY: 4 });
    const moves = Object.entries(transitions).flatMap(([from, row]) =>
      Object.entries(row).map(([event, to]) => `${from} ${event} ${to}`),
    );
    expect(moves).toEqual([
      'PENDING send SENT',
      'PENDING drop FAILED',
      'SENT send SENT',
      'SENT succeed SUCCESS',
      'SENT fail FAILED',
      'FAILED retry RETRY',
      'FAILED succeed SUCCESS',
      'RETRY send SENT',
      'RETRY succeed SUCCESS',
      'RETRY drop FAILED',
    ]);
    expect(Object.fromEntries(events.map((event) => [event, allowing(event)]))).toEqual({
      send: [0, 1, 4],
      succeed: [1, 3, 4],
      fail: [1],
      retry: [3],
    });
    expect(() => after('SUCCESS', 'send')).toThrow('cannot send');
  });

  const now = 1_000_000;
  const unreachable = { status: 'unreachable', reason: 'no answer' } as const;

  it('end with what the channel said, or come back after a wait that doubles', () => {
    const on = (retryCount: number, jitter = 0) =>
      verdictOn(unreachable, { retryCount, now, jitter });
    expect(
      verdictOn({ status: 'delivered', answer: '' }, { retryCount: 2, now, jitter: 0 }),
    ).toEqual({ status: 'SUCCESS', retryCount: 2, nextTry: null });
    expect(verdictOn({ status: 'refused', reason: '' }, { retryCount: 0, now, jitter: 0 })).toEqual(
      {
        status: 'FAILED',
        retryCount: 0,
        nextTry: null,
      },
    );
    expect([0, 1, 2, 3].map((count) => on(count))).toEqual(
      [5, 10, 20, 40].map((seconds, count) => ({
        status: 'RETRY',
        retryCount: count + 1,
        nextTry: now + seconds * 1_000,
      })),
    );
    expect(on(0, 0.999).nextTry).toBeLessThan(now + 2_600);
    expect(on(4)).toEqual({ status: 'FAILED', retryCount: 4, nextTry: null });
  });

  it('wait as long as a receiver asks, but no more than an hour', () => {
    const asked = (retryAfterMs: number) =>
      verdictOn({ ...unreachable, retryAfterMs }, { retryCount: 0, now, jitter: 0 }).nextTry;
    expect([1, 90_000, 10 ** 9].map(asked)).toEqual([now + 5_000, now + 90_000, now + 3_600_000]);
  });
});

describe('the fair queue', () => {
  const limits = { overall: 4, perTenant: 3, perChannel: 1, waiting: 10 };
  let counter = 0;
  const task = (tenantId: string, channelId: string): Task => ({
    tenantId,
    channelId,
    id: String((counter += 1)),
  });

  /** FairQueue whose tasks run until they are let go. */
  function held() {
    const started: Task[] = [];
    const open = new Map<string, (reached: boolean | null) => void>();
    const queue = new FairQueue(limits, (one) => {
      started.push(one);
      return new Promise((resolve) => {
        open.set(one.id, resolve);
      });
    });
    const release = async (one: Task, reached: boolean | null = true): Promise<void> => {
      open.get(one.id)?.(reached);
      await new Promise(setImmediate);
    };
    return { queue, started, release };
  }

  it('let a channel that hangs hold up itself alone, and a tenant itself alone', async () => {
    const { queue, started, release } = held();
    const slow = [task('a', '1'), task('a', '1'), task('a', '2'), task('a', '3'), task('a', '4')];
    const quick = [task('b', '5'), task('b', '6')];
    for (const one of [...slow, ...quick]) expect(queue.offer(one)).toBe(true);
    expect(started).toEqual([slow[0], slow[2], slow[3], quick[0]]);
    if (quick[0]) await release(quick[0]);
    // The first tenant has all it may have, so the turn is the other's.
    expect(started.at(-1)).toBe(quick[1]);
    if (slow[2]) await release(slow[2]);
    if (quick[1]) await release(quick[1]);
    expect(started.at(-1)).toBe(slow[4]);
  });

  it('take each task once, and no more than they have room for', async () => {
    const { queue, started, release } = held();
    const first = task('a', '1');
    expect([queue.offer(first), queue.offer(first)]).toEqual([true, false]);
    const more = Array.from({ length: 12 }, () => task('a', '1'));
    expect(more.map((one) => queue.offer(one)).filter(Boolean)).toHaveLength(10);
    await release(first);
    expect(started).toHaveLength(2);
    expect(queue.offer(first)).toBe(true);
  });

  it('end with what runs, and forget what waits', async () => {
    const { queue, started, release } = held();
    const [one, two] = [task('a', '1'), task('a', '1')];
    queue.offer(one);
    queue.offer(two);
    const closed = queue.close();
    await release(one);
    await closed;
    expect(started).toEqual([one]);
    expect(queue.offer(task('a', '2'))).toBe(false);
  });

  it('give channels that were not reached half the room at most, until they are', async () => {
    const { queue, started, release } = held();
    const dead = ['1', '2', '3'].map((channelId) => task('a', channelId));
    for (const one of dead) queue.offer(one);
    for (const one of dead) await release(one, false);
    const again = ['1', '2', '3'].map((channelId) => task('a', channelId));
    const well = [task('a', '4'), task('b', '5'), task('b', '6')];
    for (const one of [...again, ...well]) queue.offer(one);
    // Of the three the tenant may have, two; of the four there are, two.
    expect(started.slice(3)).toEqual([again[0], again[1], well[0], well[1]]);
    for (const one of well) await release(one);
    if (again[0]) await release(again[0]);
    expect(started.slice(3)).toEqual([again[0], again[1], well[0], well[1], well[2], again[2]]);
  });

  it('learn nothing of a channel whose task another dispatcher has', async () => {
    const { queue, started, release } = held();
    const ask = () => ['1', '2', '3'].map((channelId) => task('a', channelId));
    const [dead, elsewhere, again] = [ask(), ask(), ask()];
    for (const one of dead) queue.offer(one);
    for (const one of dead) await release(one, false);
    for (const one of elsewhere) queue.offer(one);
    for (const one of elsewhere) await release(one, null);
    for (const one of again) queue.offer(one);
    expect(started.slice(6)).toEqual(again.slice(0, 2));
    const well = ['4', '5'].map((channelId) => task('b', channelId));
    for (const one of well) queue.offer(one);
    expect(started.slice(8)).toEqual(well);
    for (const one of well) await release(one, null);
    for (const one of well) expect(queue.offer(one)).toBe(true);
    expect(started.slice(-2)).toEqual(well);
  });
});
