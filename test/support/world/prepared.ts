import { afterAll, beforeAll } from 'vitest';

import { startWorld, type World, type WorldOptions } from './app.ts';
import type { ShiftedClock } from './shifted-clock.ts';

/** What `make` gives before the first test of the file or of its `describe`: until then it has no properties. */
export function prepared<T extends object>(make: () => Promise<T> | T): T {
  let made: T | undefined;
  beforeAll(async () => {
    made = await make();
  });
  const known = (): T => {
    if (!made) throw new Error('it is not there before the first test');
    return made;
  };
  return new Proxy<T>(Object.create(null), {
    get(_, key) {
      const value: unknown = Reflect.get(known(), key);
      // Of an instance of a class with private fields.
      return typeof value === 'function' ? value.bind(known()) : value;
    },
    set: (_, key, value) => Reflect.set(known(), key, value),
    has: (_, key) => Reflect.has(known(), key),
    ownKeys: () => Reflect.ownKeys(known()),
    getOwnPropertyDescriptor: (_, key) => Reflect.getOwnPropertyDescriptor(known(), key),
  });
}

/** What `start` starts before the first test and what ends after the last. */
export function started<T extends { stop(): unknown } | { close(): unknown }>(
  start: () => Promise<T> | T,
): T {
  let running: T | undefined;
  afterAll(async () => {
    if (running) await ('stop' in running ? running.stop() : running.close());
  });
  return prepared(async () => (running = await start()));
}

/** A platform of the tests of a file, on a database of its own. */
export const startedWorld = (options?: WorldOptions<ShiftedClock>): World =>
  started(() => startWorld(options));
