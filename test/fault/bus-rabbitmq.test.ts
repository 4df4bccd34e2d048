import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Bus, BusUnavailable, MessageTooLarge, Unroutable } from '../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import { topicNames } from '../../src/bus/topic/topic-names.ts';
import type { Payload } from '../../src/bus/topic/topics.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { numberedResult } from '../support/devices/command-result.ts';
import {
  freshPrefix,
  removeBus,
  type Wire,
  wireTo,
  withChannel,
} from '../support/neighbours/rabbitmq.ts';
import { eventually } from '../support/world/eventually.ts';

const url = process.env['AMQP_URL'] ?? '';
const CUTS = 5;

type Letter = { reason: string; queue: string };

const value: Payload<'svc.e.value'>['values'][number] = {
  deviceId: '1',
  pointId: '1',
  rawValue: '1',
  calValue: '1',
  numValue: 1,
  originTime: 0,
  seq: 0,
  quality: 0,
};
const batchOf = (values: Payload<'svc.e.value'>['values']): Payload<'svc.e.value'> => ({
  tenantId: '1',
  driverId: '1',
  driverCode: 'A',
  node: 'n',
  values,
});

/** What no topic takes. */
const foreign: Buffer[] = [
  randomBytes(64),
  Buffer.alloc(0),
  Buffer.from('null'),
  Buffer.from('{"__proto__":{"tenantId":"1"}}'),
  Buffer.from(JSON.stringify({ ...numberedResult(1), tenantId: 1.5 })),
  Buffer.from(JSON.stringify({ ...numberedResult(1), status: 'DONE' })),
  Buffer.from(JSON.stringify(numberedResult(1, 'x'.repeat(1024 * 1024)))),
  Buffer.from('['.repeat(100_000)),
];

describe('the RabbitMQ bus', () => {
  let prefix: string;
  let wire: Wire;
  let bus: Bus;

  beforeEach(async () => {
    prefix = freshPrefix();
    wire = await wireTo(url);
    bus = await openRabbitmqBus({
      url: wire.url,
      prefix,
      clock: systemClock,
      log: createLog('silent'),
    });
  });
  afterEach(async () => {
    await bus.close();
    await wire.close();
    await removeBus(
      url,
      prefix,
      topicNames().map((topic) => topic.replace('svc.e.', 'q.')),
    );
  });

  const publish = (n: number) =>
    bus.publish('svc.e.point_command_result', numberedResult(n), { key: '1' });
  const listen = (seen: Set<string>, prefetch = 10) =>
    bus.subscribe(
      'svc.e.point_command_result',
      { queue: 'svc.q.point_command_result', key: '#', prefetch },
      async ({ responseValue }) => {
        seen.add(String(responseValue));
      },
    );
  const dead = () =>
    withChannel(url, async (channel) => {
      const letters: Letter[] = [];
      for (;;) {
        const message = await channel.get(`${prefix}.q.dead`, { noAck: true });
        if (!message) return letters;
        const headers: Record<string, unknown> = message.properties.headers ?? {};
        letters.push({
          reason: String(headers['x-first-death-reason']),
          queue: String(headers['x-first-death-queue']),
        });
      }
    });

  it('loses nothing it confirmed while its connections are cut again and again', async () => {
    const seen = new Set<string>();
    await listen(seen);
    const confirmed: string[] = [];
    const stop = new AbortController();
    let n = 0;
    const publishing = Array.from({ length: 20 }, async () => {
      while (!stop.signal.aborted) {
        const mine = (n += 1);
        await publish(mine);
        confirmed.push(String(mine));
      }
    });
    for (let cut = 0; cut < CUTS; cut += 1) {
      const before = confirmed.length;
      await eventually(
        async () => confirmed.length,
        (count) => count > before + 50,
      );
      wire.cut();
      await sleep(100);
      wire.mend();
    }
    const before = confirmed.length;
    await eventually(
      async () => confirmed.length,
      (count) => count > before,
    );
    stop.abort();
    await Promise.all(publishing);
    await eventually(
      async () => seen.size,
      (count) => count >= confirmed.length,
    );
    expect(confirmed.filter((number) => !seen.has(number))).toEqual([]);
  });

  it('lets publishers wait while the broker is away, and delivers when it is back', async () => {
    const seen = new Set<string>();
    await listen(seen);
    wire.cut();
    const waiting = [1, 2, 3].map((n) => publish(n));
    await sleep(300);
    expect(seen.size).toBe(0);
    wire.mend();
    await Promise.all(waiting);
    await eventually(
      async () => seen.size,
      (count) => count === 3,
    );
    expect([...seen].toSorted()).toEqual(['1', '2', '3']);
  });

  it('refuses what it could not send in time, and does not send it later', async () => {
    const seen = new Set<string>();
    await listen(seen);
    wire.cut();
    await eventually(
      async () => bus.isUp(),
      (isUp) => !isUp,
    );
    await expect(publish(1)).rejects.toThrow(BusUnavailable);
    wire.mend();
    await publish(2);
    await eventually(
      async () => seen.size,
      (count) => count > 0,
    );
    expect([...seen]).toEqual(['2']);
  });

  it('hands a message out again that was not acknowledged when the connection broke', async () => {
    const attempts: number[] = [];
    const second = Promise.withResolvers<void>();
    await bus.subscribe(
      'svc.e.point_command_result',
      { queue: 'svc.q.point_command_result', key: '#' },
      async (_payload, { attempt }) => {
        if (attempts.push(attempt) > 1) return second.resolve();
        wire.cut();
        wire.mend();
        await sleep(500);
      },
    );
    await publish(1).catch(() => {});
    await second.promise;
    expect(attempts).toEqual([1, 2]);
  });

  it.each([-60_000, 11_000])(
    'hands a message that lives 10 s to a consumer with a clock %d ms off',
    async (off) => {
      const clock = { ...systemClock, now: () => systemClock.now() + off };
      const elsewhere = await openRabbitmqBus({
        url: wire.url,
        prefix,
        clock,
        log: createLog('silent'),
      });
      const seen = Promise.withResolvers<string>();
      await elsewhere.subscribe(
        'svc.e.point_command_result',
        { queue: 'svc.q.point_command_result', key: '#' },
        async ({ commandId }) => seen.resolve(commandId),
      );
      await bus.publish('svc.e.point_command_result', numberedResult(7), {
        key: '1',
        ttlMs: 10_000,
      });
      expect(await seen.promise).toBe(numberedResult(7).commandId);
      await elsewhere.close();
    },
  );

  it('dead-letters what is no message of its topic, with the reason, while good ones pass', async () => {
    const seen = new Set<string>();
    await listen(seen);
    const ROUNDS = 5;
    const count = foreign.length * ROUNDS;
    await withChannel(url, async (channel) => {
      for (let n = 0; n < count; n += 1) {
        const body = foreign[n % foreign.length] ?? Buffer.alloc(0);
        channel.publish(`${prefix}.e.point_command_result`, '1', body, {
          // What a header says is not trusted either.
          headers: { 'x-expires-at': 'soon', 'x-delivery-count': 'many' },
        });
        await publish(1000 + n);
      }
    });
    await eventually(
      async () => seen.size,
      (size) => size === count,
    );
    const letters: Letter[] = [];
    await eventually(
      async () => letters.push(...(await dead())),
      (size) => size >= count,
    );
    expect(letters).toHaveLength(count);
    for (const letter of letters)
      expect(letter).toEqual({ reason: 'rejected', queue: `${prefix}.q.point_command_result` });
    expect([...seen].every((number) => Number(number) >= 1000)).toBe(true);
  });

  it.each(topicNames())('hands no handler of %s what is no message of it', async (topic) => {
    const handed: unknown[] = [];
    const queue = `svc.q.${topic.replace(/^svc\.e\./, '')}`;
    await bus.subscribe(topic, { queue, key: '#' }, async (payload) => {
      handed.push(payload);
    });
    await withChannel(url, async (channel) => {
      for (const body of foreign)
        channel.publish(`${prefix}.${topic.replace(/^svc\./, '')}`, 'A', body);
    });
    const letters: Letter[] = [];
    await eventually(
      async () => letters.push(...(await dead())),
      (size) => size >= foreign.length,
    );
    expect(letters.map(({ reason }) => reason)).toEqual(foreign.map(() => 'rejected'));
    expect(handed).toEqual([]);
  });

  it('dead-letters what no handler could take', async () => {
    await bus.subscribe(
      'svc.e.point_command_result',
      { queue: 'svc.q.point_command_result', key: '#' },
      () => Promise.reject(new Error('never')),
    );
    await publish(1);
    const letters: Letter[] = [];
    await eventually(
      async () => letters.push(...(await dead())),
      (count) => count > 0,
    );
    expect(letters).toMatchObject([{ reason: 'rejected' }]);
  });

  it('refuses a body larger than its topic allows', async () => {
    const long = { ...value, rawValue: 'x'.repeat(4096) };
    const batch = batchOf(Array.from({ length: 300 }, () => long));
    await expect(bus.publish('svc.e.value', batch, { key: 'A' })).rejects.toThrow(MessageTooLarge);
  });

  it('does not confirm what must be kept and no queue takes', async () => {
    await withChannel(url, (channel) => channel.deleteQueue(`${prefix}.q.value`));
    const batch = batchOf([value]);
    await expect(bus.publish('svc.e.value', batch, { key: 'A' })).rejects.toThrow(Unroutable);
  });

  it('subscribes again when somebody removed its queue', async () => {
    const seen = new Set<string>();
    await listen(seen);
    await withChannel(url, (channel) => channel.deleteQueue(`${prefix}.q.point_command_result`));
    await eventually(
      () =>
        publish(1).then(
          () => seen.size,
          () => 0,
        ),
      (count) => count > 0,
    );
    expect([...seen]).toEqual(['1']);
  });
});
