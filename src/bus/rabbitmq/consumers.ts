import { setImmediate } from 'node:timers/promises';

import type { ChannelModel } from 'amqplib';

import type { Clock } from '../../kernel/clock.ts';
import type { QueueLength } from '../bus.ts';
import type { Consumer } from './consumer.ts';
import type { Link } from './link.ts';

const SUBSCRIBE_WAIT_MS = 30_000;

/** The consumers of a bus, which every new connection attaches again. */
export class Consumers {
  readonly #clock: Clock;
  readonly #all = new Set<Consumer>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async attach(model: ChannelModel, lost: (reason: string) => void): Promise<void> {
    for (const consumer of this.#all) await consumer.attach(model, lost);
  }

  async add(consumer: Consumer, link: Link): Promise<void> {
    const clock = this.#clock;
    const until = clock.now() + SUBSCRIBE_WAIT_MS;
    for (;;) {
      const model = await link.up(Math.max(0, until - clock.now()));
      if (!model) throw new Error('RabbitMQ cannot be reached');
      try {
        await consumer.attach(model, (reason) => link.renew(model, reason));
        // Added after the first attach: from here on a new connection attaches the consumer again.
        this.#all.add(consumer);
        return;
      } catch (error) {
        // A connection that ends rejects its open requests before the link learns of the end.
        await setImmediate();
        if (link.holds(model) || clock.now() >= until) throw error;
      }
    }
  }

  async cancel(consumer: Consumer): Promise<void> {
    this.#all.delete(consumer);
    await consumer.cancel();
  }

  async cancelAll(): Promise<void> {
    await Promise.all([...this.#all].map((consumer) => consumer.cancel()));
  }

  /** Messages that wait in the queues, where the broker answers. */
  async waiting(): Promise<QueueLength[]> {
    const lengths = await Promise.all([...this.#all].map((consumer) => consumer.waiting()));
    return lengths.filter((length) => length !== null);
  }

  /** The queues from which the broker delivers nothing now. */
  detached(): string[] {
    return [...this.#all].flatMap((consumer) => (consumer.isAttached() ? [] : [consumer.queue]));
  }
}
