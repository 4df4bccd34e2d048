import { once } from 'node:events';

import { namesWith } from '../../../../src/bus/rabbitmq/topology.ts';
import { freshPrefix, removeBus, withChannel } from '../../neighbours/rabbitmq.ts';
import { newAttacker } from '../attacker.ts';
import { keyOf, payloadOf, topicNames } from '../payloads.ts';
import type { Random } from '../random.ts';
import type { Site, Surface } from '../surface.ts';
import { jsonOf, mutatedFields } from '../values.ts';

const BATCH = 100;
const URL_OF_BROKER = process.env['AMQP_URL'];

/** Anything a program with access to RabbitMQ can put into the exchanges; only where `AMQP_URL` is set. */
export const broker: readonly Surface[] = URL_OF_BROKER
  ? [
      {
        name: 'RabbitMQ',
        async beside() {
          const prefix = freshPrefix();
          return {
            environment: { AMQP_URL: URL_OF_BROKER, SVC_BUS_PREFIX: prefix },
            attack: (site) => attack(site, URL_OF_BROKER, prefix),
            stop: () => removeBus(URL_OF_BROKER, prefix),
          };
        },
      },
    ]
  : [];

async function attack(
  { world, random, tally, inputs, until }: Site,
  url: string,
  prefix: string,
): Promise<void> {
  const { own } = await newAttacker(world);
  const names = namesWith(prefix);
  await withChannel(url, async (channel) => {
    for (let sent = 0; sent < inputs && performance.now() < until; sent += BATCH) {
      const startedAt = performance.now();
      for (let one = 0; one < Math.min(BATCH, inputs - sent); one += 1) {
        const topic = random.pick(topicNames());
        const good = payloadOf(topic, own, random);
        const body = bytesOf(random, good);
        const kept = channel.publish(names(topic), keyOf(good), body, {
          messageId: random.pick(['', 'x', 'y'.repeat(255)]),
          headers: random.pick<object>([
            {},
            { 'x-expires-at': 'never' },
            { 'x-expires-at': -1 },
            { 'x-delivery-count': 'x' },
          ]),
          contentType: random.pick(['application/json', 'text/plain', 'x']),
        });
        tally.count('sent', 0, null, topic);
        if (!kept) await once(channel, 'drain');
      }
      // What the platform itself says must come through behind all that.
      await world.bus.handled('svc.e.value', goodValue(own), 'VirtualDriver');
      tally.count(
        'good message handled behind them',
        performance.now() - startedAt - 15_000,
        null,
        '',
      );
    }
  });
}

function bytesOf(random: Random, good: Record<string, unknown>): Buffer {
  const text = jsonOf(mutatedFields(random, good, 1));
  return random.pick<() => Buffer>([
    () => Buffer.from(text),
    () => Buffer.from(text),
    () => Buffer.from(jsonOf(good)),
    () => Buffer.from(text.slice(0, random.upTo(text.length))),
    () => random.bytes(random.upTo(300)),
    () => Buffer.alloc(0),
    () => Buffer.from(text, 'utf16le'),
    () => Buffer.from('['.repeat(50_000)),
    () => Buffer.alloc(1024 * 1024 + 1, 'x'),
  ])();
}

function goodValue(own: Parameters<typeof payloadOf>[1]) {
  return {
    tenantId: own.tenant,
    driverId: own.driver,
    driverCode: 'VirtualDriver',
    node: 'good',
    values: [
      {
        deviceId: own.device,
        pointId: own.point,
        rawValue: '2',
        calValue: '2',
        numValue: 2,
        originTime: Date.now(),
        seq: 0,
        quality: 0 as const,
      },
    ],
  };
}
