import { deepStrictEqual } from 'node:assert/strict';

import { calls, callersOf } from '../callers.ts';
import type { Engine } from '../engine/prepared.ts';
import { type Request, steady, type Token } from '../load.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { type Server, startServer } from '../server.ts';
import { firstPages } from './requests.ts';

const CALLS = 300;
const WARM_UP = 800;

/** Requests per CPU second of the lists, beside a bare Express server on the same engine. */
export async function lists(running: readonly { engine: Engine; ours: Server }[]): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const contestants: Parameters<typeof rounds>[0] = {};
  const names: string[] = [];
  for (const { engine, ours } of running) {
    const bare = stack.use(
      await startServer(new URL('./bare.ts', import.meta.url), {
        args: [engine.bare, engine.plant.tenantId],
      }),
    );
    const { busy } = callersOf(ours);
    for (const [list, request] of Object.entries(firstPages(engine.plant))) {
      const answers = [await ours.send(request, busy), await bare.send(request, null)];
      const [own, other] = answers.map((answer): unknown => JSON.parse(steady(answer)));
      deepStrictEqual(other, own, 'the yardstick has to answer the same');
      const name = `${list}-vs-bare-${engine.name}`;
      names.push(name);
      contestants[name] = await perCpuSecond(ours, request, busy);
      contestants[`${name} limit`] = await perCpuSecond(bare, request, null);
    }
  }
  const median = await rounds(contestants);
  return names.map((name) =>
    row(
      'rest',
      name,
      'requests/cpu-s',
      median(name, 'requests'),
      median(`${name} limit`, 'requests'),
      '>= 0.6',
    ),
  );
}

async function perCpuSecond(server: Server, request: Request, token: Token) {
  await server.measure(request, calls(token, WARM_UP));
  return async () => {
    const { cpu } = await server.measure(request, calls(token, CALLS));
    return { requests: 1_000_000 / cpu };
  };
}
