import { messageItem, type MessagePart, reasoningItem, type Thought } from './response.ts';

/** Sends an event of a streamed response. */
export type Send = (type: string, fields: object) => Promise<void>;

/** The message of a streamed response, which begins with its first text; a refusal is a part of it beside its text. */
export function messageFrames(send: Send, item_id: string) {
  const item = { item_id, output_index: 0 };
  const begun: MessagePart['type'][] = [];
  const message = {
    isOpen: false,
    position: (type: MessagePart['type']) => ({ ...item, content_index: begun.indexOf(type) }),
    /** As the item of this number, with a part of this type. */
    async open(at: number, type: MessagePart['type'] = 'output_text'): Promise<void> {
      if (!message.isOpen) {
        message.isOpen = true;
        item.output_index = at;
        const empty = messageItem(item_id, [], 'in_progress');
        await send('response.output_item.added', { output_index: at, item: empty });
      }
      if (begun.includes(type)) return;
      begun.push(type);
      await send('response.content_part.added', { ...message.position(type), part: EMPTY[type] });
    },
    /** Adds to the part of this type, which is open. */
    add: (type: MessagePart['type'], delta: string, more: object = {}): Promise<void> =>
      send(`response.${type}.delta`, { ...message.position(type), delta, ...more }),
    /** Beside those `before`. */
    async annotate(annotations: readonly object[], before: number): Promise<void> {
      const position = message.position('output_text');
      for (const [at, annotation] of annotations.entries())
        await send('response.output_text.annotation.added', {
          ...position,
          annotation_index: before + at,
          annotation,
        });
    },
    async close(whole: ReturnType<typeof messageItem>): Promise<void> {
      for (const part of whole.content) {
        const position = message.position(part.type);
        const { type, ...fields } = part;
        const said =
          part.type === 'refusal' ? fields : { text: part.text, logprobs: part.logprobs };
        await send(`response.${type}.done`, { ...position, ...said });
        await send('response.content_part.done', { ...position, part });
      }
      await send('response.output_item.done', { output_index: item.output_index, item: whole });
    },
  };
  return message;
}

const EMPTY: Record<MessagePart['type'], MessagePart> = {
  output_text: { type: 'output_text', text: '', annotations: [], logprobs: [] },
  refusal: { type: 'refusal', refusal: '' },
};

/** Thoughts of a model as items of a streamed response, each before what follows it. */
export function thoughtFrames(send: Send) {
  let thought: Thought | null = null;
  let position = { item_id: '', output_index: 0, summary_index: 0 };
  return {
    /** `at`: the number of its item. */
    async add(now: Thought, delta: string, at: number): Promise<void> {
      if (thought !== now) {
        thought = now;
        position = { item_id: now.id, output_index: at, summary_index: 0 };
        const item = reasoningItem(now.id, '');
        await send('response.output_item.added', { output_index: at, item });
        const part = { type: 'summary_text', text: '' };
        await send('response.reasoning_summary_part.added', { ...position, part });
      }
      await send('response.reasoning_summary_text.delta', { ...position, delta });
    },
    async close(): Promise<void> {
      if (!thought) return;
      const { id, text } = thought;
      thought = null;
      await send('response.reasoning_summary_text.done', { ...position, text });
      const part = { type: 'summary_text', text };
      await send('response.reasoning_summary_part.done', { ...position, part });
      const { output_index } = position;
      const item = reasoningItem(id, text);
      await send('response.output_item.done', { output_index, item });
    },
  };
}
