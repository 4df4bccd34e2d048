import { deepStrictEqual } from 'node:assert/strict';

import { z } from 'zod';

import { freshDirectory } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { request } from './request.ts';
import { type Server, startServer } from './server.ts';

const CALLS = 2_000;
const WARM_UP = 2_000;

const call = request('tools/call', { name: 'getCurrentTenantInfo', arguments: {} });
const list = request('tools/list', {});

const Results = z.object({
  list: z.object({ tools: z.array(z.unknown()).min(1) }),
  call: z.object({
    content: z.array(z.unknown()).min(1),
    structuredContent: z.record(z.string(), z.unknown()),
    isError: z.literal(false).optional(),
  }),
});

/** CPU of our `/mcp` per call, beside the bare SDK with the same tools and beside bare node:http. */
export async function mcp(): Promise<Row[]> {
  await using ours = await startServer(new URL('./ours.ts', import.meta.url), {
    args: [await freshDirectory()],
  });
  const texts = { call: await ours.post(call), list: await ours.post(list) };
  const results = resultsOf(texts);
  await using sdk = await startServer(new URL('./sdk.ts', import.meta.url), { message: results });
  deepStrictEqual(
    resultsOf({ call: await sdk.post(call), list: await sdk.post(list) }),
    results,
    'the yardstick has to give the same results',
  );
  await using http = await startServer(new URL('./http.ts', import.meta.url), {
    message: { 'tools/call': texts.call, 'tools/list': texts.list },
  });
  return await compare({ ours, sdk, http });
}

async function compare({ ours, sdk, http }: Record<'ours' | 'sdk' | 'http', Server>) {
  for (const server of [ours, sdk, http]) {
    for (const one of [call, list]) await server.measure(one, WARM_UP);
  }
  const median = await rounds({
    oursCall: () => ours.measure(call, CALLS),
    sdkCall: () => sdk.measure(call, CALLS),
    httpCall: () => http.measure(call, CALLS),
    oursList: () => ours.measure(list, CALLS),
    sdkList: () => sdk.measure(list, CALLS),
  });
  const compared = (metric: string, unit: string, figure: string, own: string, limit: string) =>
    row('mcp', metric, unit, median(own, figure), median(limit, figure));
  return [
    compared('tools-call-vs-sdk', 'us', 'cpu', 'oursCall', 'sdkCall'),
    compared('tools-call-vs-http', 'us', 'cpu', 'oursCall', 'httpCall'),
    compared('tools-call-main-thread', 'us', 'mainThread', 'oursCall', 'sdkCall'),
    compared('tools-call-rate', 'calls/s', 'rate', 'oursCall', 'sdkCall'),
    compared('tools-list-vs-sdk', 'us', 'cpu', 'oursList', 'sdkList'),
    compared('tools-list-rate', 'calls/s', 'rate', 'oursList', 'sdkList'),
  ];
}

/** What the two answers carry, without what each server says about itself. */
function resultsOf(texts: Record<'call' | 'list', string>) {
  const Answer = z.object({ result: z.unknown() });
  const resultOf = (text: string): unknown => Answer.parse(JSON.parse(text)).result;
  return Results.parse({ call: resultOf(texts.call), list: resultOf(texts.list) });
}
