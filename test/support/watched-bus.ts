import { randomUUID } from 'node:crypto';

import { type Bus, MAX_ATTEMPTS } from '../../src/bus/bus.ts';
import type { Payload, TopicName } from '../../src/bus/topics.ts';

/** A bus whose consumers in this process can be waited for, on a broker too. */
export type WatchedBus = Bus & {
  /** Publishes, and resolves when a consumer of this process is done with the message. */
  handled<N extends TopicName>(topic: N, payload: Payload<N>, key: string): Promise<void>;
};

export function watched(bus: Bus): WatchedBus {
  const awaited = new Map<string, () => void>();
  return {
    ...bus,
    subscribe: (topic, options, handle) =>
      bus.subscribe(topic, options, async (payload, delivery) => {
        const { messageId, attempt } = delivery;
        try {
          await handle(payload, delivery);
          awaited.get(messageId)?.();
        } catch (error) {
          if (attempt >= MAX_ATTEMPTS) awaited.get(messageId)?.();
          throw error;
        }
      }),
    async handled(topic, payload, key) {
      const messageId = randomUUID();
      const { promise, resolve } = Promise.withResolvers<void>();
      awaited.set(messageId, resolve);
      await bus.publish(topic, payload, { key, messageId });
      await promise;
      awaited.delete(messageId);
    },
  };
}
