import { z } from 'zod';

import type { AnswerFormat } from '../../../../providers/request/options.ts';

const FENCE = /^\s*```[\w-]*[ \t]*\n/;
/** What may still become the beginning of a fence. */
const BEGINNING = /^\s*(`{0,2}|```[\w-]*[ \t]*)$/;
const END = /\s*```\s*$/;
const MAX_HELD = 64;

/** The JSON of an answer without the fence that many models put around it, as far as it is known while it comes. */
export function unfenced() {
  let state: 'begins' | 'fenced' | 'plain' = 'begins';
  let held = '';

  function take(text: string): string {
    if (state === 'plain') return text;
    held += text;
    if (state === 'begins') {
      if (FENCE.test(held)) {
        state = 'fenced';
        held = held.replace(FENCE, '');
      } else if (held.length < MAX_HELD && BEGINNING.test(held)) return '';
      else {
        state = 'plain';
        return rest();
      }
    }
    // The last signs may be the end of the fence.
    const at = /[\s`]*$/.exec(held)?.index ?? held.length;
    const said = held.slice(0, at);
    held = held.slice(at);
    return said;
  }

  function rest(): string {
    const left = state === 'fenced' ? held.replace(END, '') : held;
    held = '';
    return left;
  }

  return { take, rest };
}

/** Whether an answer has the form that was asked for; true where a schema is none that can be read. */
export function hasForm(text: string, format: AnswerFormat): boolean {
  try {
    const value: unknown = JSON.parse(text);
    if (format.type === 'json_object') return typeof value === 'object' && value !== null;
    return fitsSchema(value, format.schema);
  } catch {
    return false;
  }
}

function fitsSchema(value: unknown, schema: Record<string, unknown>): boolean {
  let shape: z.ZodType;
  try {
    shape = z.fromJSONSchema(schema);
  } catch {
    return true;
  }
  return shape.safeParse(value).success;
}
