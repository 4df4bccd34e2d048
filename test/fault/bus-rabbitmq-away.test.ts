import { afterEach, beforeEach, describe, expect, it } from 'vitest';

import { type Bus, BusUnavailable, Unconfirmed } from '../../src/bus/bus.ts';
import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { numberedResult } from '../support/devices/command-result.ts';
import { freshPrefix, removeBus, type Wire, wireTo } from '../support/neighbours/rabbitmq.ts';
import { eventually } from '../support/world/eventually.ts';

const url = process.env['AMQP_URL'] ?? '';

describe('the RabbitMQ bus while its broker is out of reach', () => {
  let wire: Wire;
  let bus: Bus;
  let prefix: string;
  beforeEach(async () => {
    prefix = freshPrefix();
    wire = await wireTo(url);
    const shared = { clock: systemClock, log: createLog('silent') };
    bus = await openRabbitmqBus({ ...shared, url: wire.url, prefix });
  });
  afterEach(async () => {
    await bus.close();
    await wire.close();
    await removeBus(url, prefix);
  });

  const publish = (n: number) =>
    bus.publish('svc.e.point_command_result', numberedResult(n), { key: '1' });

  it('says that it does not know of what was written to a connection that broke', async () => {
    wire.cut();
    // The loss is not noticed yet.
    expect(bus.isUp()).toBe(true);
    await expect(publish(1)).rejects.toThrow(Unconfirmed);
  });

  it('refuses at once what must not wait, while the broker is out of reach', async () => {
    wire.cut();
    await eventually(
      async () => bus.isUp(),
      (isUp) => !isUp,
    );
    const urgent = bus.publish('svc.e.point_command_result', numberedResult(1), {
      key: '1',
      urgent: true,
    });
    const first = await Promise.race([
      urgent.catch((error: unknown) => error),
      publish(2).catch((error: unknown) => error),
    ]);
    expect(first).toBeInstanceOf(BusUnavailable);
    await expect(urgent).rejects.toThrow('cannot be reached now');
    expect(await bus.missing()).toEqual(['message bus']);
  });
});
