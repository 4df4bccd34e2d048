import { byId } from '../../kernel/sentence/voice.ts';
import { inMarkdown } from './card/words/markdown.ts';
import { actionOutcome } from './outcome.ts';
import type { ActionView } from './view.ts';

/**
 * An action and its outcome in one line of ids, enumerations and numbers: text from devices is kept out of
 * the system message (chat/turn/compose.ts).
 */
export function receiptLine(action: ActionView): string {
  const { status, say } = actionOutcome(action, byId);
  return `action ${action.actionId} is ${status}: ${say}`;
}

/** The same for people, with the names on the card; Markdown in these names is escaped. */
export function receiptText(action: ActionView): string {
  const { status, say } = actionOutcome(action, inMarkdown);
  return `Receipt of action \`${action.actionId}\`, ${status}: ${say}`;
}

/** What is known of an action now, in one line of Markdown with the names of its card. */
export const presentText = (action: ActionView): string =>
  actionOutcome(action, inMarkdown).say.replaceAll(/\s+/g, ' ');
