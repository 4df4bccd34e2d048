import { deepStrictEqual } from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { z } from 'zod';

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
    isError: z.undefined(),
  }),
});

/** CPU of our `/mcp` per call, beside the bare SDK with the same tools and beside bare node:http. */
export async function mcp(): Promise<Row[]> {
  const dataDir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  try {
    await using ours = await startServer(new URL('./ours.ts', import.meta.url), {
      args: [dataDir],
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
  } finally {
    await rm(dataDir, { recursive: true, force: true });
  }
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
  return [
    row('mcp', 'tools-call-vs-sdk', 'us', median('oursCall', 'cpu'), median('sdkCall', 'cpu')),
    row('mcp', 'tools-call-vs-http', 'us', median('oursCall', 'cpu'), median('httpCall', 'cpu')),
    row('mcp', 'tools-call-rate', 'calls/s', median('oursCall', 'rate'), median('sdkCall', 'rate')),
    row('mcp', 'tools-list-vs-sdk', 'us', median('oursList', 'cpu'), median('sdkList', 'cpu')),
    row('mcp', 'tools-list-rate', 'calls/s', median('oursList', 'rate'), median('sdkList', 'rate')),
  ];
}

/** What the two answers carry, without what each server says about itself. */
function resultsOf(texts: Record<'call' | 'list', string>) {
  const Answer = z.object({ result: z.unknown() });
  const resultOf = (text: string): unknown => Answer.parse(JSON.parse(text)).result;
  return Results.parse({ call: resultOf(texts.call), list: resultOf(texts.list) });
}
