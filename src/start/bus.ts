import type { Bus } from '../bus/bus.ts';
import { MemoryBus } from '../bus/memory.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Log } from '../kernel/process/log.ts';

/** RabbitMQ where a URL is given, else the bus within this process. */
export async function openBus({
  amqpUrl,
  prefix,
  clock,
  log,
}: {
  amqpUrl: string | null;
  prefix: string;
  clock: Clock;
  log: Log;
}): Promise<Bus> {
  if (amqpUrl === null) return new MemoryBus({ clock, log });
  const { openRabbitmqBus } = await import('../bus/rabbitmq/bus.ts');
  return openRabbitmqBus({ url: amqpUrl, prefix, clock, log });
}
