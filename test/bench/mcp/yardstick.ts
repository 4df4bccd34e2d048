import { deepStrictEqual } from 'node:assert/strict';

import { z } from 'zod';

import type { Engine } from '../engine/prepared.ts';
import { steady, type Token } from '../load.ts';
import { type Server, startServer } from '../server.ts';
import { call, list } from './request.ts';

const Results = z.object({
  list: z.object({ tools: z.array(z.unknown()).min(1) }),
  call: z.object({
    content: z.array(z.unknown()).min(1),
    structuredContent: z.record(z.string(), z.unknown()),
    isError: z.literal(false).optional(),
  }),
});

/** Both answers of a server, as they came over the wire. */
type Texts = Record<'call' | 'list', string>;

export const textsOf = async ({ send }: Server, token: Token): Promise<Texts> => ({
  call: steady(await send(call, token)),
  list: steady(await send(list, token)),
});

/**
 * The SDK with constant results, the SDK with the query on the engine's bare driver, or bare node:http; throws
 * unless it gives the same results.
 */
export async function yardstick(
  kind: 'sdk' | 'query' | 'http',
  texts: Texts,
  engine?: Engine,
): Promise<Server> {
  const results = resultsOf(texts);
  const server =
    kind === 'http'
      ? await startServer(new URL('./http.ts', import.meta.url), {
          message: { 'tools/call': texts.call, 'tools/list': texts.list },
        })
      : await startServer(new URL('./sdk.ts', import.meta.url), {
          message: {
            ...results,
            ...(engine && { database: { bare: engine.bare, tenantId: engine.plant.tenantId } }),
          },
        });
  deepStrictEqual(resultsOf(await textsOf(server, null)), results);
  return server;
}

/** What the two answers carry, without what each server says about itself. */
function resultsOf(texts: Texts): z.infer<typeof Results> {
  const Answer = z.object({ result: z.unknown() });
  const resultOf = (text: string): unknown => Answer.parse(JSON.parse(text)).result;
  return Results.parse({ call: resultOf(texts.call), list: resultOf(texts.list) });
}
