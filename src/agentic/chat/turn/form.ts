import type { ModelOptions } from '../../../../providers/request/options.ts';
import type { ModelTool } from '../../../../providers/request/provider.ts';
import type { Asking } from '../../provider/ask/ask.ts';

/**
 * The options of each round of a turn. A tool choice is of the first round only: a later one would call without an
 * end. An answer format is of the last answer: while tools are offered it goes along only to vendors whose models still
 * call tools then; for others the answer is made once more, in its format and without tools.
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
