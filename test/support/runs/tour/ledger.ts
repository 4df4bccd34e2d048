import { isDeepStrictEqual } from 'node:util';

import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { z } from 'zod';

import type { McpClient } from '../../people/mcp.ts';

type Said = Record<string, unknown>;
/** Calls a tool of the list; answers what it says, or its refusal as `{ refused }`. */
export type Ask = (tool: string, args?: Said) => Promise<Said>;
/** What was told, and what is true. */
export type Fact = [what: string, told: unknown, truth: unknown];

const Texts = z.array(z.object({ type: z.literal('text'), text: z.string() }));
const Json = z.record(z.string(), z.unknown());
const Schema = z.object({ properties: z.record(z.string(), z.unknown()) });

/** Counts the calls of a task, and the o200k tokens of the texts that answer them. */
export async function openLedger(client: McpClient) {
  const listed = new Map(
    (await client.list()).map(({ name, inputSchema }) => [name, Schema.parse(inputSchema)]),
  );
  const texts: string[] = [];
  return {
    /** Of all answers so far. */
    texts,
    /** Runs `work` with a way to ask. */
    async task<T>(
      work: (ask: Ask) => Promise<T>,
    ): Promise<{ result: T; calls: number; tokens: number }> {
      let calls = 0;
      let tokens = 0;
      const ask: Ask = async (tool, args = {}) => {
        const keys = Object.keys(listed.get(tool)?.properties ?? {});
        const unknown = Object.keys(args).filter((key) => !keys.includes(key));
        if (!listed.has(tool) || unknown.length > 0)
          throw new Error(`${tool} with ${unknown.join()} is not listed`);
        const { content, isError } = await client.call(tool, args);
        const text = Texts.parse(content)
          .map((one) => one.text)
          .join('\n');
        texts.push(text);
        calls += 1;
        tokens += countTokens(text);
        return isError === true ? { refused: text } : Json.parse(JSON.parse(text));
      };
      return { result: await work(ask), calls, tokens };
    },
  };
}

/** The facts that are not as they are. */
export const wrongOf = (facts: readonly Fact[]): Fact[] =>
  facts.filter(([, told, truth]) => !isDeepStrictEqual(told, truth));
