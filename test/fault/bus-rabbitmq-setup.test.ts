import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import type { Bus } from '../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { numberedResult } from '../support/devices/command-result.ts';
import {
  freshPrefix,
  INTERNAL_ERROR,
  methodsIn,
  removeBus,
  type Wire,
  wireTo,
} from '../support/neighbours/rabbitmq.ts';
import { eventually } from '../support/world/eventually.ts';

const url = process.env['AMQP_URL'] ?? '';
const QUEUE = 'svc.q.point_command_result';
/** Class and method numbers of AMQP 0-9-1. */
const CHANNEL_OPEN = [20, 10] as const;
const CHANNEL_CLOSE = [20, 40] as const;
const CONFIRM_SELECT = [85, 10] as const;
const CONSUME = [60, 20] as const;

const has = (sent: Buffer, what: readonly [number, number]): boolean => methodsIn(sent, what) > 0;

describe('a connection to RabbitMQ that is cut while it is set up', () => {
  let wire: Wire;
  let bus: Bus;
  let prefix: string;
  const values: string[] = [];
  beforeEach(async () => {
    prefix = freshPrefix();
    wire = await wireTo(url);
    bus = await openRabbitmqBus({
      clock: systemClock,
      log: createLog('silent'),
      url: wire.url,
      prefix,
    });
    values.length = 0;
    await bus.subscribe(
      'svc.e.point_command_result',
      { queue: QUEUE, key: '#' },
      async ({ responseValue }) => void values.push(String(responseValue)),
    );
  });
  afterEach(async () => {
    await bus.close();
    await wire.close();
    await removeBus(url, prefix);
  });

  const isWhole = async (n: number): Promise<void> => {
    await eventually(
      () => bus.missing(),
      (missing) => missing.length === 0,
    );
    expect((await bus.dead.list(1)).total).toBe(0);
    await bus.publish('svc.e.point_command_result', numberedResult(n), { key: '1' });
    await eventually(
      async () => values,
      (seen) => seen.includes(String(n)),
    );
  };

  /** Cuts the connections that are there, and the next six wherever they first send this. */
  const cutAt = async (what: readonly [number, number]): Promise<void> => {
    let cuts = 0;
    wire.cutWhen((sent) => cuts < 6 && has(sent, what) && (cuts += 1) > 0);
    wire.cut();
    wire.mend();
    await eventually(
      async () => cuts,
      (count) => count === 6,
    );
    wire.cutWhen(() => false);
  };

  it.each([
    ['the opening of a channel', CHANNEL_OPEN],
    ['the closing of a channel', CHANNEL_CLOSE],
    ['the opening of the publishing channel', CONFIRM_SELECT],
  ])('comes back after six cuts in a row at %s', async (_, what) => {
    await cutAt(what);
    await isWhole(1);
  });

  it('comes back with its subscriptions after six cuts in a row at their beginning', async () => {
    await cutAt(CONSUME);
    await isWhole(1);
  });

  it('leaves no question open that was asked on it', async () => {
    let cuts = 0;
    wire.cutWhen((sent) => has(sent, CHANNEL_CLOSE) && (cuts += 1) > 0);
    expect(await bus.missing()).toEqual(['message bus']);
    wire.cutWhen(() => false);
    await isWhole(2);
    wire.cutWhen((sent) => has(sent, CHANNEL_CLOSE) && (cuts += 1) > 0);
    expect(await bus.dead.list(1)).toMatchObject({ total: 0 });
    expect(cuts).toBeGreaterThan(2);
    wire.cutWhen(() => false);
    await isWhole(3);
  });

  it.each([
    ['cut at a closing channel', CHANNEL_CLOSE, Buffer.alloc(0)],
    ['cut at its beginning', CONSUME, Buffer.alloc(0)],
    ['closed by the broker at a closing channel', CHANNEL_CLOSE, INTERNAL_ERROR],
    ['closed by the broker at its beginning', CONSUME, INTERNAL_ERROR],
  ])('does not hold up a subscription that begins meanwhile, %s', async (_, what, farewell) => {
    let cuts = 0;
    wire.cutWhen((sent) => cuts < 1 && has(sent, what) && (cuts += 1) > 0, farewell);
    const other: string[] = [];
    const { cancel } = await bus.subscribe(
      'svc.e.point_command_result',
      { queue: 'svc.q.rule', key: '#' },
      async ({ responseValue }) => void other.push(String(responseValue)),
    );
    expect(cuts).toBe(1);
    await isWhole(3);
    await eventually(
      async () => other,
      (seen) => seen.includes('3'),
    );
    await cancel();
  });
});
