import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Bus } from '../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { numberedResult } from '../support/devices/command-result.ts';
import {
  freshPrefix,
  methodsIn,
  removeBus,
  type Wire,
  wireTo,
  withChannel,
} from '../support/neighbours/rabbitmq.ts';
import { eventually } from '../support/world/eventually.ts';

const url = process.env['AMQP_URL'] ?? '';
const QUEUE = 'svc.q.point_command_result';
/** Class and method numbers of AMQP 0-9-1. */
const BASIC_GET = [60, 70] as const;
const BASIC_PUBLISH = [60, 40] as const;
/** More often than a handler may fail. */
const DEATHS = 6;

describe('dead letters on RabbitMQ', () => {
  let wire: Wire;
  let bus: Bus;
  let prefix: string;
  const shared = { clock: systemClock, log: createLog('silent') };
  beforeEach(async () => {
    prefix = freshPrefix();
    wire = await wireTo(url);
    bus = await openRabbitmqBus({ ...shared, url: wire.url, prefix });
  });
  afterEach(async () => {
    await bus.close();
    await wire.close();
    await removeBus(url, prefix, ['q.other']);
  });

  const publish = (n: number) =>
    bus.publish('svc.e.point_command_result', numberedResult(n), { key: '1', messageId: `m${n}` });
  const total = async () => (await bus.dead.list(10)).total;

  it('are not made of a message whose consumers die, however often', async () => {
    const attempts: number[] = [];
    await bus.subscribe(
      'svc.e.point_command_result',
      { queue: QUEUE, key: '#' },
      async (_, delivery) => {
        if (attempts.push(delivery.attempt) > DEATHS) return;
        wire.cut();
        wire.mend();
        await new Promise(() => {});
      },
    );
    await publish(1);
    await eventually(
      async () => attempts.length,
      (count) => count > DEATHS,
      60_000,
    );
    expect(attempts).toEqual(Array.from({ length: DEATHS + 1 }, (_, n) => n + 1));
    // The connections were cut six times: both come back.
    await eventually(
      () => bus.missing(),
      (missing) => missing.length === 0,
    );
    expect(await total()).toBe(0);
  });

  it('are listed, dropped, and put back into the queue they come from and no other', async () => {
    const seen: string[] = [];
    let fails = true;
    await bus.subscribe(
      'svc.e.point_command_result',
      { queue: QUEUE, key: '#' },
      async (payload) => {
        if (fails) throw new Error('a defect');
        seen.push(String(payload.responseValue));
      },
    );
    await bus.subscribe(
      'svc.e.point_command_result',
      { queue: 'svc.q.other', key: '#' },
      async () => {
        seen.push('other');
      },
    );
    await publish(1);
    await publish(2);
    await eventually(total, (count) => count === 2, 40_000);
    const { letters } = await bus.dead.list(10);
    expect(letters).toMatchObject([
      { id: `${QUEUE}/m1`, queue: QUEUE, topic: 'svc.e.point_command_result', reason: 'rejected' },
      { id: `${QUEUE}/m2` },
    ]);
    fails = false;
    seen.length = 0;
    expect(await bus.dead.replay([`${QUEUE}/m2`])).toBe(1);
    await eventually(
      async () => seen.length,
      (count) => count > 0,
    );
    expect(seen).toEqual(['2']);
    expect(await bus.dead.drop('all')).toBe(1);
    expect(await total()).toBe(0);
  });

  /** Puts what is no message of the topic into its queue, each with an id, and waits for their deaths. */
  const bury = async (count: number): Promise<void> => {
    const { cancel } = await bus.subscribe(
      'svc.e.point_command_result',
      { queue: QUEUE, key: '#' },
      async () => {},
    );
    await withChannel(url, async (channel) => {
      for (let n = 1; n <= count; n += 1)
        channel.publish(`${prefix}.e.point_command_result`, '1', Buffer.from('no message'), {
          messageId: `m${n}`,
        });
    });
    // Not listed, which would take them for a moment.
    await eventually(
      () => withChannel(url, (channel) => channel.checkQueue(`${prefix}.q.dead`)),
      ({ messageCount }) => messageCount === count,
    );
    await cancel();
  };
  const ids = async () => (await bus.dead.list(100)).letters.map(({ messageId }) => messageId);

  it('are looked through no further than to the last that is asked for', async () => {
    await bury(40);
    let gets = 0;
    wire.cutWhen((sent) => {
      gets += methodsIn(sent, BASIC_GET);
      return false;
    });
    expect(await bus.dead.drop([`${QUEUE}/m3`, `${QUEUE}/m2`])).toBe(2);
    // And a few more for what had been taken before and is back in another place.
    expect(gets).toBeLessThan(10);
    gets = 0;
    expect(await bus.dead.replay([`${QUEUE}/m5`])).toBe(1);
    expect(gets).toBeLessThan(10);
    const left = await eventually(ids, (found) => found.length === 37);
    expect(new Set(left)).toEqual(
      new Set(
        Array.from({ length: 40 }, (_, n) => `m${n + 1}`).filter(
          (id) => !['m2', 'm3', 'm5'].includes(id),
        ),
      ),
    );
  });

  it('are put back once each, although they die again at once', async () => {
    await bury(5);
    await bus.subscribe('svc.e.point_command_result', { queue: QUEUE, key: '#' }, async () => {});
    expect(await bus.dead.replay('all')).toBe(5);
    await eventually(ids, (found) => found.length === 5);
  });

  it('are not lost when the connection ends in the middle of a replay', async () => {
    await bury(10);
    let published = 0;
    wire.cutWhen((sent) => (published += methodsIn(sent, BASIC_PUBLISH)) === 4);
    await expect(bus.dead.replay('all')).rejects.toThrow();
    wire.cutWhen(() => false);
    await eventually(
      () => bus.missing(),
      (missing) => missing.length === 0,
    );
    // The third was put back, and its acknowledgement may have been lost.
    const left = await eventually(ids, (found) => found.length >= 7);
    expect(left.length).toBeLessThan(9);
    const back = await withChannel(url, (channel) =>
      channel.checkQueue(`${prefix}.q.point_command_result`),
    );
    expect(back.messageCount).toBe(3);
  });

  it('stay where they are when their queue is gone', async () => {
    const body = Buffer.from('no message');
    await withChannel(url, async (channel) => {
      channel.publish(`${prefix}.e.point_command_result`, '1', body);
    });
    await bus.subscribe('svc.e.point_command_result', { queue: QUEUE, key: '#' }, async () => {});
    await eventually(total, (count) => count === 1);
    await bus.close();
    await withChannel(url, (channel) => channel.deleteQueue(`${prefix}.q.point_command_result`));
    // Declared again with the topology, so it is removed once more below a bus that is open.
    bus = await openRabbitmqBus({ ...shared, url: wire.url, prefix });
    await withChannel(url, (channel) => channel.deleteQueue(`${prefix}.q.point_command_result`));
    expect(await bus.dead.replay('all')).toBe(0);
    // The broker counts a letter that was put back a moment later.
    expect(await eventually(total, (count) => count > 0)).toBe(1);
  });

  it('go into a queue that an earlier version declared otherwise, and the platform starts', async () => {
    const other = freshPrefix();
    await withChannel(url, (channel) =>
      channel.assertQueue(`${other}.q.point_command_result`, {
        arguments: { 'x-queue-type': 'quorum', 'x-delivery-limit': 3 },
      }),
    );
    const next = await openRabbitmqBus({ ...shared, url, prefix: other });
    try {
      await next.publish('svc.e.point_command_result', numberedResult(1), { key: '1' });
      expect(await next.missing()).toEqual([]);
    } finally {
      await next.close();
      await removeBus(url, other);
    }
  });
});
