import { freshDatabases } from '../database.ts';
import { percentile } from '../percentile.ts';
import { NODE_OPTIONS } from '../platform/options.ts';
import { freshDirectory } from '../process.ts';
import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { type Server, startServer } from '../server.ts';
import { type Contestant, contestant } from './contestant.ts';

const OURS = new URL('../platform/ours.ts', import.meta.url);
const VENDOR = new URL('vendor.ts', import.meta.url);
const PIPE = new URL('pipe.ts', import.meta.url);
const RELAY = new URL('relay.ts', import.meta.url);

const V1 = '/v1/chat/completions';
/** Enough callers for 1,000 streams of 8 each. */
const CALLERS = 125;
const STARTS = 40;
const SIMULTANEOUS = 64;
const PACED = 100;
const CHUNKS = 200;
const GAP_MS = 10;
const OPEN = 1_000;
const WARM_UP = 3;

/** Goals of milliseconds added alone, with 30 messages of history; of CPU beside the pipe. */
const GOALS = {
  embedded: { alone: '<= 4', past: '<= 6', pipe: '<= 2.5' },
  postgres: { alone: '<= 2', past: '<= 3', pipe: '<= 1.5' },
} as const;

/** The chat endpoint between a client and a vendor, beside a bare pipe and a relay of the vendor's SDK. */
export async function chat(): Promise<Row[]> {
  await using stack = new AsyncDisposableStack();
  const use = async (starting: Promise<Server>, path: string): Promise<Contestant> =>
    stack.use(contestant(stack.use(await starting), path));
  const direct = await use(startServer(VENDOR), V1);
  const vendor = direct.server.url;
  const pipe = await use(startServer(PIPE, { args: [vendor] }), V1);
  const relay = await use(startServer(RELAY, { args: [vendor] }), V1);
  const databases = await freshDatabases(process.env['DATABASE_URL']);
  if (databases) stack.use(databases);
  const ours: ['embedded' | 'postgres', Contestant][] = [
    ['embedded', await use(platform(vendor), '/api/v3/agentic/chat/completions')],
  ];
  if (databases) {
    const starting = platform(vendor, await databases.make());
    ours.push(['postgres', await use(starting, '/api/v3/agentic/chat/completions')]);
  }

  const all: [string, Contestant][] = [['pipe', pipe], ['sdk', relay], ...ours];
  for (const [, one] of [['direct', direct] as const, ...all]) await warm(one);
  await databases?.settle();
  const first = (waits: number[]) => ({ p50: percentile(waits, 0.5) });
  const contestants: Parameters<typeof rounds>[0] = {};
  for (const [name, one] of [['direct', direct] as const, ...all]) {
    contestants[`${name} alone`] = async () => first(await one.alone(STARTS));
    contestants[`${name} past`] = async () => first(await one.afterPast(STARTS));
  }
  for (const [name, one] of all) {
    contestants[`${name} at once`] = async () => first(await one.atOnce(SIMULTANEOUS));
    contestants[`${name} paced`] = async () => ({ cpu: await cpuPerTurn(one) });
  }
  const median = await rounds(contestants);
  const open = new Map<string, number>();
  for (const [name, one] of all) open.set(name, await kilobytesPerStream(one));

  return ours.flatMap(([name]) => {
    const goals = GOALS[name];
    const added = (what: string) =>
      median(`${name} ${what}`, 'p50') - median(`direct ${what}`, 'p50');
    const cpu = median(`${name} paced`, 'cpu') / 1_000;
    const beside = (other: string) => median(`${other} paced`, 'cpu') / 1_000;
    return [
      row('chat', `first-content-added-ms-${name}`, 'ms', added('alone'), null, goals.alone),
      row('chat', `first-content-added-30-ms-${name}`, 'ms', added('past'), null, goals.past),
      row(
        'chat',
        `first-content-64-vs-sdk-${name}`,
        'ms',
        median(`${name} at once`, 'p50'),
        median('sdk at once', 'p50'),
        '<= 2',
      ),
      row('chat', `cpu-vs-pipe-${name}`, 'ms', cpu, beside('pipe'), goals.pipe),
      row('chat', `cpu-vs-sdk-${name}`, 'ms', cpu, beside('sdk'), '<= 0.7'),
      row('chat', `stream-kb-${name}`, 'kB', open.get(name) ?? NaN, null, '<= 120'),
      row(
        'chat',
        `stream-kb-vs-pipe-${name}`,
        'kB',
        open.get(name) ?? NaN,
        open.get('pipe') ?? NaN,
      ),
    ];
  });
}

const platform = async (vendor: string, databaseUrl?: string): Promise<Server> =>
  startServer(OURS, {
    options: NODE_OPTIONS,
    args: ['/api/v3', String(CALLERS)],
    env: {
      SVC_DATA_DIR: await freshDirectory(),
      AGENTIC_FALLBACK_OPENAI_BASE_URL: `${vendor}/v1`,
      AGENTIC_FALLBACK_OPENAI_API_KEY: 'bench',
      AGENTIC_FALLBACK_OPENAI_MODEL: 'bench',
      ...(databaseUrl !== undefined && { DATABASE_URL: databaseUrl }),
    },
  });

async function warm(one: Contestant): Promise<void> {
  await one.converse();
  for (let at = 0; at < WARM_UP; at += 1) {
    await one.alone(STARTS * 2);
    await one.afterPast(STARTS * 2);
    await one.atOnce(PACED, { chunks: CHUNKS, gapMs: 1 });
  }
}

/** Microseconds of the server's threads for one turn of 200 chunks, of 100 that run together. */
async function cpuPerTurn(one: Contestant): Promise<number> {
  const before = await one.server.used();
  await one.atOnce(PACED, { chunks: CHUNKS, gapMs: GAP_MS });
  return ((await one.server.used()).cpu - before.cpu) / PACED;
}

/** Resident kilobytes for one of 1,000 streams that are open together. */
async function kilobytesPerStream(one: Contestant): Promise<number> {
  const before = (await one.server.used()).rss;
  let during = before;
  await one.atOnce(OPEN, {
    chunks: 20,
    gapMs: 1_000,
    async whileOpen() {
      during = (await one.server.used()).rss;
    },
  });
  return (during - before) / 1_024 / OPEN;
}
