import { perApp } from '../../per-app.ts';

/** Callbacks in this process that wait for the end of a command, by command id. */
const waitersOf = perApp(() => new Map<string, Set<() => void>>());

type Owner = Parameters<typeof waitersOf>[0];

/** Calls `wake` when the command ends in this process; ends in other processes are found by polling. */
export function onCommandEnded(app: Owner, commandId: string, wake: () => void): () => void {
  const waiters = waitersOf(app);
  const wakes = waiters.get(commandId) ?? new Set();
  waiters.set(commandId, wakes.add(wake));
  return () => {
    wakes.delete(wake);
    if (wakes.size === 0 && waiters.get(commandId) === wakes) waiters.delete(commandId);
  };
}

export function commandEnded(app: Owner, commandId: string): void {
  for (const wake of waitersOf(app).get(commandId) ?? []) wake();
}
