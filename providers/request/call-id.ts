import { createHash } from 'node:crypto';

import type { ModelMessage } from './provider.ts';

/** An id of nine letters and digits, the form that every vendor takes; the same for the same text. */
export const shortId = (text: string): string =>
  createHash('sha256').update(text).digest('hex').slice(0, 9);

const isShort = (id: string): boolean => /^[a-zA-Z0-9]{9}$/.test(id);

/** Messages with ids of that form alone, for vendors that take no other. */
export const withShortIds = (messages: readonly ModelMessage[]): ModelMessage[] =>
  withIds(messages, (id) => (isShort(id) ? id : shortId(id)));

/** Messages with the vendor's ids of calls in place of those that a client was given. */
export function withVendorIds(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const theirs = new Map<string, string>();
  for (const message of messages)
    if (message.role === 'assistant')
      for (const { id, vendorId } of message.toolCalls ?? [])
        if (vendorId) theirs.set(id, vendorId);
  return theirs.size === 0 ? messages : withIds(messages, (id) => theirs.get(id) ?? id);
}

const withIds = (messages: readonly ModelMessage[], idOf: (id: string) => string): ModelMessage[] =>
  messages.map((message) => {
    if (message.role === 'tool') return { ...message, toolCallId: idOf(message.toolCallId) };
    if (message.role !== 'assistant' || !message.toolCalls) return message;
    return {
      ...message,
      toolCalls: message.toolCalls.map((call) => ({ ...call, id: idOf(call.id) })),
    };
  });
