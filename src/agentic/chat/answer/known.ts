import type { Tool } from '../../../kernel/app/app.ts';
import type { ActionView } from '../../action/view.ts';
import type { Facts } from '../../session/facts.ts';

type Known = {
  /** Actions that the turn proposed, also those that were decided beforehand, as they are now. */
  proposed: readonly ActionView[];
  /** Of the conversation before it. */
  earlier: readonly ActionView[];
  /** How many values its tools returned. */
  read: number;
};

export function factsOf({ proposed, earlier, read }: Known): Facts {
  const count = (all: readonly ActionView[], wanted: ActionView['status']): number =>
    all.filter(({ status }) => status === wanted).length;
  const before = earlier.filter(
    ({ actionId }) => !proposed.some((action) => action.actionId === actionId),
  );
  return {
    proposed: proposed.length,
    written: count(proposed, 'EXECUTED'),
    sent: count(proposed, 'CONFIRMED'),
    unknown: count(proposed, 'UNKNOWN'),
    mismatched: count(proposed, 'MISMATCH'),
    failed: count(proposed, 'FAILED'),
    read,
    earlier: { proposed: before.length, written: count(before, 'EXECUTED') },
  };
}

/** Whether one of the tools that a turn offers can propose. */
export const offersProposals = (tools: readonly Tool[]): boolean =>
  tools.some(({ scope }) => scope === 'svc:propose');
