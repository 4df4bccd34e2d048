import type { z } from 'zod';

import { untrustedIn } from '../../src/auth/connection/untrusted.ts';
import type { App, Caller, Resource } from '../../src/kernel/app/app.ts';
import { plantTimeIn } from '../shape/plant-time.ts';

/** Limit of one answer to a model. */
const MAX_TOKENS = 1_500;

type Definition<P extends z.ZodObject, O extends z.ZodObject> = Omit<
  Resource,
  'params' | 'output' | 'untrusted' | 'read' | 'scope' | 'follows'
> & {
  params: P;
  output: O;
  follows?(params: z.output<P>): string[];
  /**
   * URI of the records after `last`, for a list that was cut; the field `next` of the answer. A page without records
   * keeps the one that `read` answered.
   */
  next?(last: unknown, answer: Record<string, unknown>): string;
  read(app: App, caller: Caller, params: z.output<P>): Promise<z.input<O>>;
};

/**
 * Makes a resource: parses the variables of its URI (throws ZodError), reads, shapes the answer to
 * `output`, which cleans every text in it, and cuts a list to MAX_TOKENS. src/mcp checks permission and
 * scope.
 */
export function defineResource<P extends z.ZodObject, O extends z.ZodObject>({
  read,
  next,
  follows,
  ...resource
}: Definition<P, O>): Resource {
  const inPlantTime = plantTimeIn(resource.output);
  return {
    ...resource,
    scope: 'svc:read',
    untrusted: untrustedIn(resource.output),
    ...(follows && {
      follows: (params: unknown) => follows(resource.params.parse(params)),
    }),
    async read(app, caller, params) {
      const given = await read(app, caller, resource.params.parse(params));
      const result = resource.output.safeParse(given);
      // Not a ZodError, which the caller would take for a wrong URI.
      if (!result.success) {
        throw new Error(`${resource.uri} holds what it did not announce`, { cause: result.error });
      }
      const shown = fitted(inPlantTime(result.data, caller.timezone));
      return next ? { ...shown, next: nextOf(shown, next) } : shown;
    },
  };
}

/** As many records as fit; when some are cut, `returned` and `truncated` are changed. */
function fitted(whole: Record<string, unknown>): Record<string, unknown> {
  const { records } = whole;
  if (!Array.isArray(records)) return whole;
  const rest: unknown[] = [...records];
  let shown = whole;
  while (rest.length > 0 && tokensIn(JSON.stringify(shown)) > MAX_TOKENS) {
    rest.pop();
    shown = { ...whole, records: rest, returned: rest.length, truncated: true };
  }
  return shown;
}

function nextOf(
  answer: Record<string, unknown>,
  next: (last: unknown, answer: Record<string, unknown>) => string,
): string | null {
  const { records, truncated, next: given } = answer;
  if (truncated !== true || !Array.isArray(records)) return null;
  if (records.length > 0) return next(records.at(-1), answer);
  return typeof given === 'string' ? given : null;
}

/**
 * Upper estimate of a tokenizer's count: a token for two ASCII characters, or for two bytes of other
 * scripts.
 */
function tokensIn(text: string): number {
  const ascii = text.replaceAll(/[^\0-\x7F]/g, '').length;
  return Math.ceil(ascii / 2 + (Buffer.byteLength(text) - ascii) / 2);
}
