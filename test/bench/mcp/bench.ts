import { afterSilence, calls, callersOf } from '../callers.ts';
import { freshDatabases } from '../database.ts';
import { type Engine, preparedEngines } from '../engine/prepared.ts';
import type { Token } from '../load.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { type Server, startServer } from '../server.ts';
import { flatness } from './flat.ts';
import { listenHeap } from './listen-heap.ts';
import { call, list } from './request.ts';
import { textsOf, yardstick } from './yardstick.ts';

const CALLS = 1_500;
const WARM_UP = 4_000;
/**
 * Ahead of each measured turn, not measured: while a process waits for its next turn V8 gives its young generation
 * back, and the first calls after that pay for it in page faults and in the threads that collect garbage.
 */
const SETTLE = 1_000;
/** Callers that are silent for seconds before each of their calls; one call of each makes a round. */
const SILENT = 300;

const OURS = new URL('../platform/ours.ts', import.meta.url);

/** Beside the SDK without a database; the audit batch, the log line and express are ours alone. */
const BESIDE_SDK = { embedded: '<= 3', postgres: '<= 2.2' } as const;

/** CPU of our `/mcp` per call, beside the bare SDK without and with the same query and bare node:http. */
export async function mcp(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const use = async (starting: Promise<Server>): Promise<Server> => stack.use(await starting);
  const databases = await freshDatabases(process.env['DATABASE_URL']);
  if (databases) stack.use(databases);
  const engines = await preparedEngines(databases);

  const contestants: Parameters<typeof rounds>[0] = {};
  const [first, ...others] = engines;
  if (!first) throw new Error('no engine');
  const texts = await enter(first);
  for (const engine of others) await enter(engine);
  const sdk = await use(yardstick('sdk', texts));
  const http = await use(yardstick('http', texts));
  contestants['sdk'] = await warm(sdk, call);
  contestants['sdk list'] = await warm(sdk, list);
  contestants['http'] = await warm(http, call);

  async function enter(engine: Engine) {
    const ours = await use(
      startServer(OURS, {
        args: ['/mcp', String(1 + SILENT)],
        env: engine.env,
        options: NODE_OPTIONS,
      }),
    );
    const { busy } = callersOf(ours);
    const answers = await textsOf(ours, busy);
    const query = await use(yardstick('query', answers, engine));
    contestants[`${engine.name} list`] = await warm(ours, list, busy);
    contestants[`${engine.name} cold`] = async () => {
      await ours.measure(call, calls(busy, SETTLE));
      return ours.measure(call, await afterSilence(ours, call));
    };
    // Side by side: what is compared meets the same seconds of the machine.
    contestants[engine.name] = await warm(ours, call, busy);
    contestants[`${engine.name} query`] = await warm(query, call);
    return answers;
  }

  return [
    ...rowsOf(engines, await rounds(contestants)),
    await listenHeap(),
    ...(await flatness(databases)),
  ];
}

/** One caller that never pauses, the same for ours and for the yardsticks. */
async function warm(server: Server, request: typeof call, token: Token = null) {
  await server.measure(request, calls(token, WARM_UP));
  return async () => {
    await server.measure(request, calls(token, SETTLE));
    return server.measure(request, calls(token, CALLS));
  };
}

type Median = Awaited<ReturnType<typeof rounds>>;

function rowsOf(engines: readonly Engine[], median: Median): Row[] {
  const beside = (metric: string, own: string, limit: string, goal: Row['goal'] = null): Row =>
    row('mcp', metric, 'us', median(own, 'cpu'), median(limit, 'cpu'), goal);
  const rate = (metric: string, own: string, limit: string): Row =>
    row('mcp', metric, 'calls/s', median(own, 'rate'), median(limit, 'rate'));
  return engines.flatMap(({ name }) => [
    beside(`tools-call-vs-sdk-query-${name}`, name, `${name} query`, '<= 1.3'),
    beside(`tools-call-vs-sdk-${name}`, name, 'sdk', BESIDE_SDK[name]),
    beside(`tools-call-vs-http-${name}`, name, 'http'),
    beside(`tools-call-cold-vs-warm-${name}`, `${name} cold`, name, '<= 1.3'),
    row(
      'mcp',
      `tools-call-main-thread-${name}`,
      'us',
      median(name, 'mainThread'),
      median('sdk', 'mainThread'),
    ),
    rate(`tools-call-rate-${name}`, name, 'sdk'),
    beside(`tools-list-vs-sdk-${name}`, `${name} list`, 'sdk list'),
    rate(`tools-list-rate-${name}`, `${name} list`, 'sdk list'),
  ]);
}
