import { subscribe, unsubscribe } from 'node:diagnostics_channel';

import type { Bus } from '../../../src/bus/bus.ts';
import type { TopicName } from '../../../src/bus/topic/topics.ts';

/** The statements that travelled together. */
export type Trip = readonly string[];

type Message = { texts: readonly string[]; answers: Promise<unknown> };

/** Rounds of the event loop without work after which nothing is left of a call: a message takes two. */
const QUIET_ROUNDS = 8;

export type Meter = ReturnType<typeof openMeter>;

/** Counts the trips of calls, up to the end of all that they set off. One at a time in a process. */
export function openMeter() {
  let trips: Trip[] = [];
  let running = 0;
  const waiting = new Map<TopicName, () => void>();
  const during = async <T>(work: Promise<T>): Promise<T> => {
    running += 1;
    try {
      return await work;
    } finally {
      running -= 1;
    }
  };
  const note = (message: unknown): void => {
    if (!isMessage(message)) return;
    trips.push(message.texts);
    during(message.answers).catch(() => {});
  };
  subscribe('svc:trip', note);

  async function settled(): Promise<void> {
    for (let quiet = 0; quiet < QUIET_ROUNDS; quiet += 1) {
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      if (running > 0) quiet = 0;
    }
  }

  return {
    /** A bus that shows which of its messages are being handled. */
    watched: (bus: Bus): Bus => ({
      ...bus,
      subscribe: (topic, options, handle) =>
        bus.subscribe(topic, options, async (payload, delivery) => {
          await during(handle(payload, delivery));
          waiting.get(topic)?.();
        }),
    }),
    /** Resolves when the next message of the topic is handled. */
    handled: (topic: TopicName): Promise<void> =>
      new Promise((resolve) => {
        waiting.set(topic, resolve);
      }),
    /** Resolves when neither a trip nor a message is under way. */
    settled,
    async tripsOf(work: () => Promise<unknown>): Promise<Trip[]> {
      await settled();
      trips = [];
      await work();
      await settled();
      const counted = trips;
      trips = [];
      return counted;
    },
    close: () => unsubscribe('svc:trip', note),
  };
}

const isMessage = (message: unknown): message is Message =>
  typeof message === 'object' && message !== null && 'texts' in message && 'answers' in message;
