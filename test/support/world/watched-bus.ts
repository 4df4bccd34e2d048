import { randomUUID } from 'node:crypto';

import { type Bus, MAX_ATTEMPTS } from '../../../src/bus/bus.ts';
import type { Payload, TopicName } from '../../../src/bus/topic/topics.ts';

/** A bus whose consumers in this process can be waited for, on a broker too. */
export type WatchedBus = Bus & {
  /** Publishes, and resolves when every queue of this process that takes it is done with it. */
  handled<N extends TopicName>(topic: N, payload: Payload<N>, key: string): Promise<void>;
};

type Queue = { topic: TopicName; queue: string; key: string };

export function watched(bus: Bus): WatchedBus {
  const queues = new Set<Queue>();
  const awaited = new Map<string, { left: Set<string>; resolve: () => void }>();

  const done = (messageId: string, queue: string): void => {
    const message = awaited.get(messageId);
    if (message?.left.delete(queue) && message.left.size === 0) message.resolve();
  };

  return {
    ...bus,
    async subscribe(topic, options, handle) {
      const { queue, key } = options;
      const subscription = await bus.subscribe(topic, options, async (payload, delivery) => {
        const { messageId, attempt } = delivery;
        try {
          await handle(payload, delivery);
          done(messageId, queue);
        } catch (error) {
          if (attempt >= MAX_ATTEMPTS) done(messageId, queue);
          throw error;
        }
      });
      const entry: Queue = { topic, queue, key };
      queues.add(entry);
      return {
        cancel() {
          queues.delete(entry);
          return subscription.cancel();
        },
      };
    },
    async handled(topic, payload, key) {
      const messageId = randomUUID();
      const takers = [...queues].filter(
        (taker) => taker.topic === topic && (taker.key === '#' || taker.key === key),
      );
      const { promise, resolve } = Promise.withResolvers<void>();
      awaited.set(messageId, { left: new Set(takers.map(({ queue }) => queue)), resolve });
      await bus.publish(topic, payload, { key, messageId });
      if (takers.length > 0) await promise;
      awaited.delete(messageId);
    },
  };
}
