import type { ChatCompletionMessageParam } from 'openai/resources/chat/completions';

import { withShortIds } from '../request/call-id.ts';
import type { MessageForm } from '../request/parameters.ts';
import type { ModelMessage } from '../request/provider.ts';
import { partsOf } from './options.ts';

/** The messages of a request as the vendor takes them; `forms`: what its refusals have shown. */
export function messagesOf(
  given: readonly ModelMessage[],
  forms: ReadonlySet<MessageForm>,
): ChatCompletionMessageParam[] {
  let messages = withOneSystem(given);
  if (forms.has('no_system')) messages = withoutSystem(messages);
  if (forms.has('alternating')) messages = alternating(messages);
  if (forms.has('short_ids')) messages = withShortIds(messages);
  return messages.map((message) => messageToWire(message, forms.has('text_content') ? '' : null));
}

/** The templates of many models take one system message, and that at the beginning. */
function withOneSystem(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const system = messages.filter(({ role }) => role === 'system');
  if (system.length === 0 || (system.length === 1 && messages[0] === system[0])) return messages;
  const content = system.map((message) => message.content).join('\n\n');
  return [{ role: 'system', content }, ...messages.filter(({ role }) => role !== 'system')];
}

/** The rules at the beginning of the first question. */
function withoutSystem(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const [first, ...others] = messages;
  if (first?.role !== 'system') return messages;
  const at = others.findIndex(({ role }) => role === 'user');
  return others.map((message, place) =>
    place === at ? { ...message, content: `${first.content}\n\n${message.content}` } : message,
  );
}

/** Neighbours of one role become one message. */
function alternating(messages: readonly ModelMessage[]): readonly ModelMessage[] {
  const joined: ModelMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      const media = [...(last.media ?? []), ...(message.media ?? [])];
      const content = `${last.content}\n\n${message.content}`;
      joined[joined.length - 1] = { ...last, content, ...(media.length > 0 ? { media } : {}) };
    } else if (
      message.role === 'assistant' &&
      last?.role === 'assistant' &&
      !last.toolCalls?.length
    )
      joined[joined.length - 1] = { ...message, content: `${last.content}\n\n${message.content}` };
    else joined.push(message);
  }
  return joined;
}

function messageToWire(message: ModelMessage, nothing: '' | null): ChatCompletionMessageParam {
  if (message.role === 'tool') {
    return { role: 'tool', tool_call_id: message.toolCallId, content: message.content };
  }
  if (message.role === 'user' && message.media?.length) {
    return { role: 'user', content: partsOf(message.content, message.media) };
  }
  if (message.role !== 'assistant' || !message.toolCalls?.length) {
    return { role: message.role, content: message.content };
  }
  return {
    role: 'assistant',
    content: message.content || nothing,
    // Vendors that sent them refuse the calls without them, others do not know these fields.
    ...(message.reasoning ? { [message.reasoning.field]: message.reasoning.text } : {}),
    tool_calls: message.toolCalls.map((call) => ({
      id: call.id,
      type: 'function',
      function: { name: call.name, arguments: call.arguments },
      ...(call.extra ? { extra_content: call.extra } : {}),
    })),
  };
}
