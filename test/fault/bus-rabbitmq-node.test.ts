import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Bus, BusUnavailable, BusFull, Unconfirmed } from '../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { numberedResult } from '../support/devices/command-result.ts';
import { startRabbitmqNode } from '../support/neighbours/rabbitmq-node.ts';
import { freshPrefix } from '../support/neighbours/rabbitmq.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const PUBLISHERS = 20;

/** A broker of this test's own, which it may kill. */
describe('the RabbitMQ bus', () => {
  let bus: Bus;
  let seen: Set<string>;
  let end: AbortController;
  const node = started(startRabbitmqNode);

  beforeEach(async () => {
    const settings = { prefix: freshPrefix(), clock: systemClock, log: createLog('silent') };
    bus = await openRabbitmqBus({ url: node.url, ...settings });
    seen = new Set();
    end = new AbortController();
    await bus.subscribe(
      'svc.e.point_command_result',
      { queue: 'svc.q.point_command_result', key: '#', prefetch: 10 },
      async ({ responseValue }) => {
        seen.add(String(responseValue));
      },
    );
  });
  afterEach(async () => {
    end.abort();
    await bus.close();
  });

  /** Publishers that go on over every failure; what was confirmed to them. */
  function underLoad(): { confirmed: string[]; refused: unknown[]; stop(): Promise<void> } {
    const confirmed: string[] = [];
    const refused: unknown[] = [];
    let n = 0;
    const publishing = Array.from({ length: PUBLISHERS }, async () => {
      while (!end.signal.aborted) {
        const mine = (n += 1);
        try {
          await bus.publish('svc.e.point_command_result', numberedResult(mine), { key: '1' });
          confirmed.push(String(mine));
        } catch (error) {
          refused.push(error);
          await sleep(50);
        }
      }
    });
    return {
      confirmed,
      refused,
      async stop() {
        end.abort();
        await Promise.all(publishing);
      },
    };
  }

  const grows = async (list: readonly unknown[]): Promise<void> => {
    const before = list.length;
    await eventually(
      async () => list.length,
      (length) => length > before + 100,
      40_000,
    );
  };

  it.each(['SIGKILL', 'a clean stop'])(
    'goes on after %s of the broker and loses nothing',
    async (how) => {
      const { confirmed, refused, stop } = underLoad();
      await grows(confirmed);
      if (how === 'SIGKILL') {
        await node.kill();
        await node.start();
      } else {
        await node.ctl('stop_app');
        await node.ctl('start_app');
      }
      await grows(confirmed);
      await stop();
      await eventually(
        async () => confirmed.filter((number) => !seen.has(number)).length,
        (missing) => missing === 0,
      );
      expect(
        refused.every((error) =>
          [BusUnavailable, BusFull, Unconfirmed].some((kind) => error instanceof kind),
        ),
      ).toBe(true);
    },
  );

  it('holds publishers back while the broker is short of memory, and consumers go on', async () => {
    const { confirmed, refused, stop } = underLoad();
    await grows(confirmed);
    await node.ctl('set_vm_memory_high_watermark', '0');
    await eventually(
      async () => refused.length,
      (length) => length > 0,
    );
    await node.ctl('set_vm_memory_high_watermark', '0.4');
    await grows(confirmed);
    await stop();
    await eventually(
      async () => confirmed.filter((number) => !seen.has(number)).length,
      (missing) => missing === 0,
    );
    expect(
      refused.every((error) =>
        [BusUnavailable, BusFull, Unconfirmed].some((kind) => error instanceof kind),
      ),
    ).toBe(true);
  });
});
