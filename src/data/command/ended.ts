import type { App } from '../../app.ts';

/** Callbacks in this process that wait for the end of a command, by command id. */
export const openEndWaiters = () => new Map<string, Set<() => void>>();

/** Calls `wake` when the command ends in this process; ends in other processes are found by polling. */
export function onCommandEnded(app: App, commandId: string, wake: () => void): () => void {
  const waiters = app.caches.endWaiters;
  const wakes = waiters.get(commandId) ?? new Set();
  waiters.set(commandId, wakes.add(wake));
  return () => {
    wakes.delete(wake);
    if (wakes.size === 0 && waiters.get(commandId) === wakes) waiters.delete(commandId);
  };
}

export function commandEnded(app: App, commandId: string): void {
  for (const wake of app.caches.endWaiters.get(commandId) ?? []) wake();
}
