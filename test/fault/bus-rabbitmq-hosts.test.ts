import { expect, it } from 'vitest';

import { openRabbitmqBus } from '../../src/bus/rabbitmq/bus.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { createLog } from '../../src/kernel/process/log.ts';
import { numberedResult } from '../support/devices/command-result.ts';
import { freePort } from '../support/neighbours/free-port.ts';
import { startRabbitmqNode } from '../support/neighbours/rabbitmq-node.ts';
import { freshPrefix, wireTo } from '../support/neighbours/rabbitmq.ts';
import { eventually } from '../support/world/eventually.ts';
import { started } from '../support/world/prepared.ts';

const node = started(startRabbitmqNode);

it('of several hosts the next one is used when one cannot be reached or is lost', async () => {
  const [one, other] = [await wireTo(node.url), await wireTo(node.url)];
  const { username, password } = new URL(node.url);
  const hosts = [`127.0.0.1:${await freePort()}`, new URL(one.url).host, new URL(other.url).host];
  const url = `amqp://${username}:${password}@${hosts.join(',')}`;
  const settings = { url, prefix: freshPrefix(), clock: systemClock, log: createLog('silent') };
  const bus = await openRabbitmqBus(settings);
  const publish = (n: number) =>
    bus.publish('svc.e.point_command_result', numberedResult(n), { key: '1' });
  try {
    await publish(1);
    for (const wire of [one, other, one]) {
      wire.cut();
      await eventually(
        () =>
          publish(2).then(
            () => true,
            () => false,
          ),
        Boolean,
      );
      // Only the other one takes connections now.
      expect(bus.isUp()).toBe(true);
      wire.mend();
    }
  } finally {
    await bus.close();
    await one.close();
    await other.close();
  }
});
