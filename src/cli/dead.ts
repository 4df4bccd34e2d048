import type { Which } from '../bus/dead-letter.ts';
import { createDeadLetterStore } from '../data/dead-letter/store.ts';
import type { Composition } from './index.ts';

const LISTED = 500;

/** `svc dead list`, `replay`, `drop`: messages that no consumer could process. */
export async function deadCommand(
  { createApp, readSettings }: Composition,
  what: string,
  ids: readonly string[],
): Promise<void> {
  const which: Which = ids.length === 0 ? 'all' : ids;
  const app = await createApp(readSettings());
  try {
    const { bus } = app;
    bus.keepDeadIn(createDeadLetterStore(app));
    const print = (line: string): void => void process.stdout.write(`${line}\n`);
    if (what === 'list') {
      const { total, letters } = await bus.dead.list(LISTED);
      for (const { id, topic, queue, reason, at, bytes } of letters)
        print(`${id}  ${at.toISOString()}  ${topic} → ${queue}  ${reason}  ${bytes} bytes`);
      print(`${total} dead letters`);
    } else if (what === 'drop') print(`${await bus.dead.drop(which)} dropped`);
    else if (app.config.bus.amqpUrl === null)
      throw new Error(
        'The consumers of the in-process bus are in the platform: start it and replay there, POST /api/v3/data/dead_letter/replay',
      );
    else print(`${await bus.dead.replay(which)} put back into their queues`);
  } finally {
    await app.bus.close();
    await app.db.close();
  }
}
