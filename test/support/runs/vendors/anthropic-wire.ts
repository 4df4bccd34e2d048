import { TEXT } from './behaviour.ts';
import type { Json } from './odd.ts';
import { casesAs } from './sending.ts';

export type Event = { type: string; [name: string]: Json };
/** As the vendor frames it: named, and with its type in the data. */
export const frame = (event: Json): string => {
  const type =
    typeof event === 'object' && event !== null && 'type' in event ? event['type'] : null;
  return `${typeof type === 'string' ? `event: ${type}\n` : ''}data: ${JSON.stringify(event)}\n\n`;
};
export const usage = {
  input_tokens: 7,
  cache_creation_input_tokens: 1,
  cache_read_input_tokens: 2,
  output_tokens: 5,
};

export const message = (content: Json, reason: string | null = 'end_turn') => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'zoo',
  content,
  stop_reason: reason,
  stop_sequence: null,
  usage,
});
export const begin: Event = { type: 'message_start', message: message([], null) };
export const end = (reason: Json = 'end_turn'): Event[] => [
  { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: null }, usage },
  { type: 'message_stop' },
];
/** A content block: its start, its deltas, its stop. */
export const block = (index: number, content_block: Json, ...deltas: Json[]): Event[] => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta): Event => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
];
export const words = TEXT.match(/\s*\S+/g) ?? [];
const textDelta = (text: string): Json => ({ type: 'text_delta', text });
export const says = (index: number, parts: readonly string[] = words): Event[] =>
  block(index, { type: 'text', text: '' }, ...parts.map(textDelta));
export const thinks = (index: number): Event[] =>
  block(
    index,
    { type: 'thinking', thinking: '', signature: '' },
    { type: 'thinking_delta', thinking: 'Hm, warm?' },
    { type: 'signature_delta', signature: 'c2ln' },
  );

export const all: readonly Event[] = [begin, { type: 'ping' }, ...says(0), ...end()];
export const whole = message([{ type: 'text', text: TEXT }]);

export const cases = casesAs((events) => events.map(frame));
