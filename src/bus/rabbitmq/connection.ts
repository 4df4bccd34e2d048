import { type ChannelModel, connect } from 'amqplib';

import type { Clock } from '../../kernel/clock.ts';
import { limited } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/process/log.ts';
import { closeChannel } from './close-channel.ts';

const CONNECT_MS = 10_000;
const SETUP_MS = 30_000;
const CLOSE_MS = 5_000;
const ANSWER_MS = 2_000;

export type ConnectionOptions = {
  name: string;
  clock: Clock;
  log: Log;
  setup(model: ChannelModel, lost: (reason: string) => void): Promise<void>;
};

/** One connection to the broker, after its `setup`. */
export type Connection = {
  model: ChannelModel;
  /** Resolves when it ended, with the reason; it is to be discarded then. */
  ended: Promise<Error>;
  /** Ends it, to restore a channel that was lost alone. */
  lose(reason: string): void;
  /** Whether the broker answers within 2 s; a broker short of memory or disk does not. */
  answers(): Promise<boolean>;
  discard(): Promise<unknown>;
};

/**
 * The library leaves a request unsettled when its connection ends before the answer, so `setup` is raced against the
 * end. `closed` ends the connection as well.
 */
export async function openConnection(
  address: URL,
  { name, clock, log, setup }: ConnectionOptions,
  closed: Promise<Error>,
): Promise<Connection> {
  const model = await connect(address.href, {
    timeout: CONNECT_MS,
    noDelay: true,
    keepAlive: true,
    clientProperties: { connection_name: name },
  });
  const { promise, resolve: end } = Promise.withResolvers<Error>();
  model.on('close', (error?: Error) => end(error ?? new Error('it was closed')));
  // An error event without a listener would end the process; `ended` reports the loss itself.
  model.on('error', (error) => log.warn({ link: name, error }, 'a RabbitMQ connection failed'));
  const ended = Promise.race([promise, closed]);

  function lose(reason: string): void {
    // Deferred: when the connection itself closed, its own reason has to settle first.
    setImmediate(() => end(new Error(reason)));
  }

  /** Bounded, because the broker may be gone before it answers. */
  function discard(): Promise<unknown> {
    return limited(clock, CLOSE_MS, model.close()).catch((error: unknown) =>
      log.debug({ link: name, error }, 'RabbitMQ connection already closed'),
    );
  }

  /** Opens a channel, which is a round trip. */
  async function ask(): Promise<boolean> {
    try {
      const channel = await model.createChannel();
      channel.on('error', () => {});
      await closeChannel(channel);
      return true;
    } catch (error) {
      log.debug({ link: name, error }, 'RabbitMQ did not open a channel');
      return false;
    }
  }
  let asking: Promise<boolean> | null = null;

  const done = setup(model, lose).then(() => null);
  const failure = await limited(clock, SETUP_MS, Promise.race([done, ended])).catch(
    (error: unknown) => error,
  );
  if (failure !== null) {
    done.catch((error: unknown) => log.debug({ link: name, error }, 'RabbitMQ set-up abandoned'));
    await discard();
    throw failure ?? new Error('the broker does not answer while a connection is set up');
  }
  return {
    model,
    ended,
    lose,
    // Concurrent callers share one request: an unanswered one must not pile up channels.
    async answers() {
      asking ??= ask().finally(() => {
        asking = null;
      });
      return (await limited(clock, ANSWER_MS, asking)) ?? false;
    },
    discard,
  };
}
