import type { ModelMessage } from '../../../../providers/request/provider.ts';
import { presentText } from '../../action/receipt-text.ts';
import type { ActionView } from '../../action/view.ts';
import { claimsDone, wordsOf } from './claim.ts';

/** What is known of writes at the end of a turn. */
type Known = {
  /** Actions that the turn proposed, as they are now. */
  proposed: readonly ActionView[];
  /** Of the conversation before it. */
  earlier: readonly ActionView[];
  /** Of the turn; results of tools may hold receipts. */
  messages: readonly ModelMessage[];
  /** The answer is JSON, as its request demands. */
  isFormed: boolean;
};

const NONE = 'No write was proposed in this answer, and no receipt shows one.';
const DONE: ReadonlySet<unknown> = new Set(['EXECUTED', 'SUCCESS']);

/**
 * What is known of the writes that an answer can mean, where it says that something was done and no receipt says so:
 * in the platform's words, as Markdown unless the answer is JSON. '' for an answer that claims nothing, or what a receipt
 * shows.
 */
export function correctionOf(text: string, known: Known): string {
  const { proposed, earlier, messages, isFormed } = known;
  if (!claimsDone(isFormed ? wordsOf(text) : text)) return '';
  const meant = proposed.length > 0 ? proposed : earlier;
  const isShown = meant.some(({ done }) => done) || (proposed.length === 0 && hasReceipt(messages));
  if (isShown) return '';
  const last = meant.at(-1);
  if (!last) return NONE;
  return isFormed ? last.say.replaceAll(/\s+/g, ' ') : presentText(last);
}

const hasReceipt = (messages: readonly ModelMessage[]): boolean =>
  messages.some(({ role, content }) => role === 'tool' && isReceipt(parsed(content)));

function parsed(content: unknown): unknown {
  try {
    return typeof content === 'string' ? JSON.parse(content) : null;
  } catch {
    return null;
  }
}

/** A receipt says `done`, or the status of a write that took place; a text that contains such words is none. */
function isReceipt(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null || depth > 6) return false;
  return Object.entries(value).some(
    ([key, inner]) =>
      (key === 'done' && inner === true) ||
      (key === 'status' && DONE.has(inner)) ||
      isReceipt(inner, depth + 1),
  );
}
