import { z } from 'zod';

/** As many as a chat completion may have messages. */
const MAX_ITEMS = 10_000;
const MAX_PARTS = 100;
const MAX_TEXT = 1_000_000;

const InputText = z
  .object({ type: z.enum(['input_text', 'output_text', 'text']), text: z.string() })
  .transform(({ text }) => ({ type: 'text', text }));
const Refusal = z
  .object({ type: z.literal('refusal'), refusal: z.string() })
  .transform(({ refusal: text }) => ({ type: 'text', text }));
const InputImage = z
  .object({
    type: z.literal('input_image'),
    image_url: z.string('an image must come as image_url, a data URI'),
    detail: z.unknown().optional(),
  })
  .transform(({ image_url: url, detail }) => ({ type: 'image_url', image_url: { url, detail } }));
const InputFile = z
  .object({
    type: z.literal('input_file'),
    file_data: z.string('a file must come as file_data, a data URI'),
    filename: z.string().nullish(),
  })
  .transform(({ file_data, filename }) => ({ type: 'file', file: { file_data, filename } }));

/** Of a thought in an answer: no word of it. */
const Thinking = z
  .object({ type: z.enum(['reasoning_text', 'summary_text']) })
  .transform(() => ({ type: 'text', text: '' }));

const Part = z.discriminatedUnion('type', [InputText, Refusal, InputImage, InputFile, Thinking], {
  error: 'content may be of the types input_text, output_text, input_image and input_file',
});
const Content = z.union([z.string(), z.array(Part).max(MAX_PARTS)], {
  error: 'must be a text or a list of parts',
});

const Message = z.object({
  type: z.literal('message').default('message'),
  role: z.enum(['user', 'assistant', 'system', 'developer']),
  content: Content.nullable().transform((content) => content ?? ''),
});
const Call = z.object({
  type: z.literal('function_call'),
  call_id: z.string().min(1).max(256),
  name: z.string(),
  arguments: z.string(),
});
const Output = z.object({
  type: z.literal('function_call_output'),
  call_id: z.string().min(1).max(256),
  output: Content,
});
const Reasoning = z.object({ type: z.literal('reasoning') });
/** Of tools that another vendor or program runs, and of what it left out: the platform knows nothing of them. */
const Foreign = z.object({
  type: z.enum([
    'apply_patch_call',
    'apply_patch_call_output',
    'code_interpreter_call',
    'compaction',
    'computer_call',
    'computer_call_output',
    'file_search_call',
    'image_generation_call',
    'local_shell_call',
    'local_shell_call_output',
    'mcp_approval_request',
    'mcp_approval_response',
    'mcp_call',
    'mcp_list_tools',
    'shell_call',
    'shell_call_output',
    'web_search_call',
  ]),
});
const CustomCall = z.object({
  type: z.literal('custom_tool_call'),
  call_id: z.string().min(1).max(256),
  name: z.string(),
  input: z.string(),
});
const CustomOutput = Output.extend({ type: z.literal('custom_tool_call_output') });
const Reference = z.object({ type: z.literal('item_reference'), id: z.string().min(1).max(256) });

export const Item = z.preprocess(
  (given) =>
    typeof given === 'object' && given !== null && !('type' in given)
      ? { ...given, type: 'role' in given || !('id' in given) ? 'message' : 'item_reference' }
      : given,
  z
    .discriminatedUnion(
      'type',
      [Message, Call, Output, CustomCall, CustomOutput, Reasoning, Foreign, Reference],
      {
        error: ({ input: given }) =>
          `items may be of the types message, function_call, function_call_output, reasoning and item_reference, or of another's tools, and not ${typeOf(given)}`,
      },
    )
    .transform((item) => {
      if (item.type === 'custom_tool_call') {
        const { call_id, name, input: text } = item;
        return {
          type: 'function_call' as const,
          call_id,
          name,
          arguments: JSON.stringify({ input: text }),
        };
      }
      return item.type === 'custom_tool_call_output'
        ? { ...item, type: 'function_call_output' as const }
        : item;
    }),
);
const typeOf = (given: unknown): string =>
  typeof given === 'object' && given !== null && 'type' in given
    ? JSON.stringify(given.type).slice(0, 80)
    : 'without a type';

/** Input of the Responses API: a text or items. */
export const Input = z
  .union([z.string().max(MAX_TEXT), z.array(z.unknown()).max(MAX_ITEMS)], {
    error: 'must be a text or a list of items',
  })
  .transform((given) => (typeof given === 'string' ? [{ role: 'user', content: given }] : given))
  .pipe(z.array(Item));
export type Item = z.output<typeof Item>;

const isInstruction = (item: Item): boolean =>
  item.type === 'message' && (item.role === 'system' || item.role === 'developer');

/**
 * What follows the last answer that is named by a reference, with the instructions before it: the conversation of
 * that answer holds what led to it.
 */
export function afterReference(items: readonly Item[]): { answer: string | null; rest: Item[] } {
  const at = items.findLastIndex(
    (item) => item.type === 'item_reference' && item.id.startsWith('msg_'),
  );
  const named = items[at];
  if (named?.type !== 'item_reference') return { answer: null, rest: [...items] };
  return {
    answer: named.id,
    rest: [...items.slice(0, at).filter(isInstruction), ...items.slice(at + 1)],
  };
}

export const itemIdOf = (callId: string): string => callId.replace(/^call_/, 'fc_');
/** The id of the call of an item. */
const callIdOf = (itemId: string): string => itemId.replace(/^fc_/, 'call_');

type Called = { id: string; type: 'function'; function: { name: string; arguments: string } };

/** Items as messages of a chat completion: neighbouring calls are of one message. */
export function messagesOf(items: readonly Item[]): Record<string, unknown>[] {
  const messages: Record<string, unknown>[] = [];
  let calls: Called[] = [];
  const known = new Set<string>();
  const close = (): void => {
    if (calls.length > 0) messages.push({ role: 'assistant', content: null, tool_calls: calls });
    calls = [];
  };
  const call = (id: string, name: string, text: string): void => {
    known.add(id);
    calls.push({ id, type: 'function', function: { name, arguments: text } });
  };
  for (const [at, item] of items.entries()) {
    if (item.type === 'item_reference') {
      // The platform knows the call; of reasoning, it keeps none.
      if (item.id.startsWith('fc_')) call(callIdOf(item.id), UNNAMED, '{}');
    } else if (item.type === 'function_call') call(item.call_id, item.name, item.arguments);
    else if (item.type === 'function_call_output') {
      // The platform knows the call: the client sends its output alone.
      const outputs = items.slice(at).filter((one) => one.type === 'function_call_output');
      for (const { call_id: id } of outputs) if (!known.has(id)) call(id, UNNAMED, '{}');
      close();
      messages.push({ role: 'tool', tool_call_id: item.call_id, content: item.output });
    } else if (item.type === 'message') {
      close();
      messages.push({ role: item.role, content: item.content });
    }
  }
  close();
  return messages;
}

/** Name of a call of which only the output came. */
const UNNAMED = 'unnamed';
