import { byId } from '../../core/sentence/voice.ts';
import { inMarkdown } from './card/markdown.ts';
import { actionOutcome } from './outcome.ts';
import type { ActionView } from './view.ts';

/**
 * An action and its outcome in one line of ids, enumerations and numbers: text of a device has no
 * place where rules stand (chat/prompt.ts).
 */
export function receiptLine(action: ActionView): string {
  const { status, say } = actionOutcome(action, byId);
  return `action ${action.actionId} is ${status}: ${say}`;
}

/** The same for people, with the names of the card; nothing in it can become Markdown. */
export function receiptText(action: ActionView): string {
  const { status, say } = actionOutcome(action, inMarkdown);
  return `Receipt of action \`${action.actionId}\`, ${status}: ${say}`;
}
