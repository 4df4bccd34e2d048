import { CARD_HEAD } from '../../../sentence-words.ts';
import type { Schemas } from '../../client/operations.ts';
import type { Turn } from './turn.ts';

export type Message = Schemas['Message'];

/** What the model said, without the words of the cards that are drawn below it. */
export function textIn({ content, contentExt }: Message): string {
  let end = content.length;
  for (const _ of contentExt.actions) {
    const at = content.lastIndexOf(CARD_HEAD, end - 1);
    if (at === -1) break;
    end = at;
  }
  return content.slice(0, end);
}

export const isReceipt = ({ contentExt }: Message): boolean => contentExt.receipt !== undefined;

export const isStored = ({ after }: Turn, messages: readonly Message[]): boolean =>
  messages.some(
    (message) =>
      message.messageIndex > after && message.role === 'assistant' && !isReceipt(message),
  );

export const questionBefore = (messages: readonly Message[], index: number): Message | null =>
  messages.slice(0, index + 1).findLast(({ role }) => role === 'user') ?? null;
