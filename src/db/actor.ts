import { AsyncLocalStorage } from 'node:async_hooks';

import { sourceNow } from '../kernel/request/called-from.ts';

/** The caller of a changing operation, as the change log names it; `at` is ISO-8601. */
export type Actor = { id: string; name: string; via: string; at: string };

const acting = new AsyncLocalStorage<Actor>();

/** Sets the actor of every transaction that `work` begins; the triggers of the change log read it there. */
export const withActor = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  acting.run(actor, work);

/** The actor of the transaction that begins now with its source, as JSON; null without both. */
export const actorNow = (): string | null => {
  const actor = acting.getStore();
  const source = sourceNow();
  if (source === undefined) return actor ? JSON.stringify(actor) : null;
  return JSON.stringify({ ...actor, source });
};
