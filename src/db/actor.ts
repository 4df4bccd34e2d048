import { AsyncLocalStorage } from 'node:async_hooks';

/** The caller of a changing operation, as the change log names it; `at` is ISO-8601. */
export type Actor = { id: string; name: string; via: string; at: string };

const acting = new AsyncLocalStorage<Actor>();

/** Sets the actor of every transaction that `work` begins; the triggers of the change log read it there. */
export const actingAs = <T>(actor: Actor, work: () => Promise<T>): Promise<T> =>
  acting.run(actor, work);

/** A statement for the begin of a transaction; empty outside `actingAs`. */
export function actorSetting(): string {
  const actor = acting.getStore();
  if (!actor) return '';
  // A string literal: quotes are doubled, and a backslash has no special meaning.
  return `; set local svc.actor = '${JSON.stringify(actor).replaceAll("'", "''")}'`;
}
