import { z } from 'zod';

import type { AnswerFormat, ModelOptions } from '../../../../providers/request/options.ts';
import type { ModelTool } from '../../../../providers/request/provider.ts';
import type { Asking } from '../../provider/ask/ask.ts';

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

/**
 * The options of each round of a turn. Only the first round has the tool choice, because a model that must call a tool
 * would call one in each round. A vendor gets the answer format in rounds with tools only if its models then still call
 * tools; for any other vendor the turn asks for the answer once more, with the format and without tools.
 */
export function formOf({ asking, options }: { asking: Asking; options: ModelOptions }) {
  const { format, toolChoice, parallelCalls, ...others } = options;
  // Of the model that is asked now: another one may have taken its place.
  const goesAlong = () => asking.model().provider.formatsWithTools === true;
  const isFormed = (tools: readonly ModelTool[]) => tools.length === 0 || goesAlong();
  return {
    /** The next round makes the answer in its format. */
    isDue: false,
    optionsOf: (round: number, tools: readonly ModelTool[]): ModelOptions => ({
      ...others,
      ...(format && isFormed(tools) ? { format } : {}),
      ...(toolChoice !== undefined && round === 1 ? { toolChoice } : {}),
      ...(parallelCalls === undefined ? {} : { parallelCalls }),
    }),
    /** Texts beside calls are no part of a formed answer: they wait until it is known that no calls come. */
    holds: (tools: readonly ModelTool[]): boolean => format !== undefined && tools.length > 0,
    /** An answer came without the format that was asked for. */
    isMissing: (tools: readonly ModelTool[]): boolean => format !== undefined && !isFormed(tools),
  };
}
