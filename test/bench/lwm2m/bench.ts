import { rounds } from '../rounds.ts';
import { type Row, row } from '../row.ts';
import { getMessage } from './device.ts';
import { Fleet } from './fleet.ts';
import { measured } from './measured.ts';
import { population, reportsPerCpuSecond } from './population.ts';
import { KEY, SecureClient } from './secure-fleet.ts';
import { steady } from './steady.ts';

const EXCHANGES = 20_000;
const RECORDS = 10_000;
const HANDSHAKES = 200;
const FEW = 100;
const DEVICES = 10_000;
const MANY = 100_000;
/** Several sweeps and heartbeats of all devices; the heap of the registrations has been collected by then. */
const SETTLED_S = 40;
const SHORT_S = 5;
/** Turns of ten thousand notifications. */
const WARM_UP = 6;

/** What `BENCH_PART` may name, one or several with commas: the rows of the named parts alone. */
const parts = { coap, driver: requests, notifications, dtls, scale };
/** Ten minutes: only when it is named. */
const long = { steady };

/** The LwM2M server by layers, beside a bare UDP socket that echoes or only receives, in units per second of CPU. */
export async function lwm2m(): Promise<Row[]> {
  const named = (process.env['BENCH_PART'] ?? '').split(',').filter((name) => name !== '');
  const rows: Row[] = [];
  const all = { ...parts, ...long };
  for (const [name, part] of Object.entries(all))
    if (named.length === 0 ? name in parts : named.includes(name)) rows.push(...(await part()));
  if (rows.length === 0) throw new Error(`BENCH_PART is one of ${Object.keys(all).join(', ')}`);
  return rows;
}

const beside = (metric: string, value: number, limit: number, goal: Row['goal']): Row =>
  row('lwm2m', metric, '/cpu s', value, limit, goal);

/** The yardstick of what is answered. */
async function echoing() {
  const echo = await measured('bare.ts', 'echo');
  const fleet = await Fleet.open(echo.port);
  const exchange = () => fleet.exchange(EXCHANGES, getMessage);
  return {
    run: async () => ({ rate: await echo.perCpuSecond(EXCHANGES, exchange) }),
    async [Symbol.asyncDispose]() {
      fleet.close();
      await echo[Symbol.asyncDispose]();
    },
  };
}

async function coap(): Promise<Row[]> {
  await using echo = await echoing();
  await using layer = await measured('endpoint.ts', 'coap');
  await using to = opened(await Fleet.open(layer.port));
  const exchange = () => to.fleet.exchange(EXCHANGES, getMessage);
  const median = await rounds({
    echo: echo.run,
    coap: async () => ({ rate: await layer.perCpuSecond(EXCHANGES, exchange) }),
  });
  return [beside('coap', median('coap', 'rate'), median('echo', 'rate'), '>= 0.65')];
}

async function requests(): Promise<Row[]> {
  await using echo = await echoing();
  await using few = await population(FEW);
  await few.driver.rest(SHORT_S);
  const median = await rounds({
    echo: echo.run,
    few: async () => ({
      registrations: await few.registrations(EXCHANGES),
      updates: await few.updates(EXCHANGES),
      reads: await few.reads(EXCHANGES),
    }),
  });
  const of = (figure: string, goal: Row['goal']) =>
    beside(figure, median('few', figure), median('echo', 'rate'), goal);
  return [of('updates', '>= 0.5'), of('registrations', '>= 0.2'), of('reads', '>= 0.4')];
}

async function notifications(): Promise<Row[]> {
  await using sink = await measured('bare.ts', 'sink');
  await using some = await population(DEVICES, { isObserved: true });
  await using toSink = opened(await Fleet.open(sink.port));
  await some.driver.rest(SETTLED_S);
  const { megabytes } = await some.driver.used();
  const ofSink = () => reportsPerCpuSecond(sink, toSink.fleet, TOKENS);
  // Until then V8 still optimizes what decodes them.
  for (let turn = 0; turn < WARM_UP; turn += 1) {
    await ofSink();
    await some.reports();
  }
  const median = await rounds({
    sink: async () => ({ rate: await ofSink() }),
    some: async () => ({ rate: await some.reports() }),
  });
  return [
    beside('notifications', median('some', 'rate'), median('sink', 'rate'), '>= 0.35'),
    row('lwm2m', 'observed-10000-mb', 'mb', megabytes, null, '<= 150'),
  ];
}

async function dtls(): Promise<Row[]> {
  await using echo = await echoing();
  await using layer = await measured('endpoint.ts', 'dtls');
  const secure = await SecureClient.open(layer.port, 'meter');
  const median = await rounds({
    echo: echo.run,
    dtls: async () => {
      const records = secure.sealed(RECORDS, KEY);
      const rate = await layer.perCpuSecond(RECORDS, () => secure.exchange(records));
      const began = performance.now();
      const handshakes = await layer.perCpuSecond(HANDSHAKES, () => handshake(layer.port));
      return { rate, handshakes, seconds: (performance.now() - began) / 1_000 };
    },
  });
  secure.close();
  return [
    beside('dtls-records', median('dtls', 'rate'), median('echo', 'rate'), '>= 0.25'),
    row('lwm2m', 'dtls-handshakes', '/s', HANDSHAKES / median('dtls', 'seconds')),
    row('lwm2m', 'dtls-handshake-cpu', 'us', 1e6 / median('dtls', 'handshakes')),
  ];
}

async function scale(): Promise<Row[]> {
  await using few = await population(FEW);
  await using many = await population(MANY);
  const [standing] = await Promise.all([many, few].map(({ driver }) => driver.rest(SETTLED_S)));
  const of = (all: typeof few) => async () => ({
    updates: await all.updates(EXCHANGES),
    reads: await all.reads(EXCHANGES),
  });
  // V8 still optimizes them.
  for (const all of [few, many]) await of(all)();
  const median = await rounds({ few: of(few), many: of(many) });
  const flat = (metric: string, figure: string): Row =>
    beside(metric, median('many', figure), median('few', figure), '>= 0.8');
  return [
    flat('updates-100000-vs-100', 'updates'),
    flat('reads-100000-vs-100', 'reads'),
    row('lwm2m', 'standing-cpu-100000', '% of a core', (standing ?? 0) / 10_000),
  ];
}

const TOKENS = [{ socket: 0, token: 'token' }];

const opened = (fleet: Fleet) => ({
  fleet,
  [Symbol.asyncDispose]: async () => fleet.close(),
});

async function handshake(port: number): Promise<void> {
  for (let at = 0; at < HANDSHAKES; at += 1) (await SecureClient.open(port, `meter-${at}`)).close();
}
