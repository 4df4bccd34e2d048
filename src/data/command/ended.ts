import type { App } from '../../kernel/app/app.ts';
import { slot } from '../../kernel/slot.ts';
import type { Receipt } from './record.ts';

/** Gets the receipt, where the end of the command has read it. */
type Wake = (receipt: Receipt | null) => void;

/** Callbacks in this process that wait for the end of a command, by command id. */
export const END_WAITERS = slot(() => new Map<string, Set<Wake>>());

/** Calls `wake` when the command ends in this process; ends in other processes are found by polling. */
export function onCommandEnded(app: App, commandId: string, wake: Wake): () => void {
  const waiters = app.of(END_WAITERS);
  const wakes = waiters.get(commandId) ?? new Set();
  waiters.set(commandId, wakes.add(wake));
  return () => {
    wakes.delete(wake);
    if (wakes.size === 0 && waiters.get(commandId) === wakes) waiters.delete(commandId);
  };
}

export const isAwaited = (app: App, commandId: string): boolean =>
  app.of(END_WAITERS).has(commandId);

export function commandEnded(app: App, commandId: string, receipt: Receipt | null = null): void {
  for (const wake of app.of(END_WAITERS).get(commandId) ?? []) wake(receipt);
}
