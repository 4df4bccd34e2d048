import { spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';

import { chromiumPath } from './support/console/chromium.ts';
import { hasMosquitto } from './support/mqtt/mosquitto.ts';
import { hasPgbouncer } from './support/neighbours/pgbouncer.ts';
import { hasRabbitmq } from './support/neighbours/rabbitmq-node.ts';
import { keptProgram } from './support/runs/clients/kept.ts';

/** A server or a browser in this machine, set by `.ci/run`; files that need it are named where it is missing. */
export const databaseUrl = process.env['DATABASE_URL'];
export const amqpUrl = process.env['AMQP_URL'];
const hasPromtool = existsSync('/usr/bin/promtool');
const hasPeers = ['coap-client-notls', 'gnutls-cli'].every(
  (program) => spawnSync(program, ['-v']).error === undefined,
);

/**
 * What the engine of the database can decide, and what each center and each way in does first: statements and trips,
 * walls between tenants, what several change at once, feeds and waiting, numbers and times in SQL, imports. PostgreSQL
 * runs these and all others; a machine without it runs all of them on the embedded engine.
 */
const ENGINE = [
  // statements, trips, the schema
  'test/api/{trip,trip-line,chat-trips,command-trips,list-pages,tenant-total,in-use}.test.ts',
  'test/api/trips/*.test.ts',
  'test/conformance/schema.test.ts',
  // walls between tenants
  'test/api/{isolation,foreign-ids,mcp-foreign,revocation,present}.test.ts',
  // what several change at once, feeds and waiting
  'test/api/{action,action-steps,confirmation,standing-approval,agent-budget,login-ceiling,endpoint-claim}.test.ts',
  'test/api/{feed,feed-limits,live,observed-value,mcp-waiting,driver-schedule,notification}.test.ts',
  // numbers and times
  'test/api/{digest,dashboard-alarm,dashboard-plant,dashboard-value,point-trend,value-age,value-time}.test.ts',
  'test/tools/{point-value-history,point-value-search,search,alarm-report}.test.ts',
  // imports and exports
  'test/api/{device-table-run,value-import,value-import-undo,value-export,device-import}.test.ts',
  // the main way of each center and of each way in
  'test/api/{user,role,session,key,device,driver,profile,group,point-value,point-command,event,change}.test.ts',
  'test/api/{alarm,alarm-rule,notify,overview,handover,chat,responses,attachment,provider,model}.test.ts',
  'test/api/{mcp,mcp-tool,mcp-proposal,openapi}.test.ts',
  'test/conformance/{mcp,oauth-code}.test.ts',
];
/** Likewise of what starts whole processes or breaks things; the rest is as a newcomer runs it. */
const SLOW_ENGINE = [
  'test/fault/{embedded*,import-crash,ingest,read-only,decisions}.test.ts',
  'test/e2e/{main-thread,stop}.test.ts',
];
/** On the embedded engine alone. */
const NEWCOMER = ['test/e2e/{documents,first-minutes,demo-start,demo-tools,conversation}.test.ts'];

/** Devices over real sockets and lost datagrams: they wait more than they compute, so many run side by side. */
const DEVICES = ['test/contract/driver-lwm2m*.test.ts', 'test/conformance/lwm2m/*.test.ts'];
const PEERS = ['test/conformance/coap/*-libcoap.test.ts'];
const MOSQUITTO = ['test/contract/mqtt/*.test.ts'];
const MOSQUITTO_PLATFORM = ['test/e2e/mqtt/*.test.ts'];
const BROKER = ['test/fault/bus-rabbitmq*.test.ts'];
const PROCESSES = ['test/e2e/processes*.test.ts'];
const PROGRAM = ['test/e2e/program-*.test.ts'];
const BROWSER = ['test/e2e/**/*-browser.test.ts'];
const OF_POSTGRES = ['test/fault/postgres*.test.ts'];
/** What waits for leases, starts, receivers, devices and disks that do not answer in time. */
const PATIENT = [
  'test/fault/{lying,outcome,places,listeners,hangup,notify-receivers,crash,confirmation}.test.ts',
  'test/e2e/{fleet-command,chat-memory}.test.ts',
];
const PATIENT_EMBEDDED = [
  'test/fault/embedded-kept-cluster.test.ts',
  'test/e2e/{documents,conversation}.test.ts',
];

const QUICK = ['test/{api,tools,conformance}/**/*.test.ts'];
const notQuick = ['test/conformance/{coap,lwm2m,promtool}/*'];
const SLOW = ['test/{e2e,fault}/**/*.test.ts'];
const notSlow = [...BROKER, ...PROCESSES, ...PROGRAM, ...BROWSER, ...MOSQUITTO_PLATFORM];

export type Suite = {
  name: string;
  include: readonly string[];
  exclude?: readonly string[];
  on?: 'embedded' | 'postgres';
  /** What it needs, where that is missing. */
  missing?: string | false;
  /** False: the files of a worker share its modules, and with them the compiled engine. */
  isolate?: false;
  /** Side by side; absent: one more than there are cores. */
  workers?: number;
  /** It hardly computes: its files run beside those of the others. */
  isBeside?: true;
};

/** Of files that start processes and wait for them: one after the other, beside those that compute. */
const WAITING = { workers: 1, isBeside: true } as const;

const postgres = !databaseUrl && 'a PostgreSQL server (DATABASE_URL)';
const rabbitmq = !amqpUrl && 'a RabbitMQ server (AMQP_URL)';
const local = (has: boolean, path: string): string | false => !has && path;

/** Every file of `test/` is in one of them, on PostgreSQL and on the embedded engine where that can differ. */
export const suites: readonly Suite[] = [
  {
    name: 'unit',
    include: [
      'test/{unit,contract}/**/*.test.ts',
      'test/conformance/coap/*.test.ts',
      'test/*.test.ts',
    ],
    exclude: [...PEERS, ...DEVICES, ...MOSQUITTO],
    isolate: false,
  },
  { name: 'device', include: DEVICES, isolate: false, workers: 8, isBeside: true },
  { name: 'embedded', include: ENGINE, on: 'embedded', isolate: false },
  {
    name: 'embedded-more',
    include: QUICK,
    exclude: [...notQuick, ...ENGINE],
    on: 'embedded',
    isolate: false,
  },
  {
    name: 'postgres',
    include: QUICK,
    exclude: notQuick,
    on: 'postgres',
    isolate: false,
    missing: postgres,
  },
  {
    name: 'slow-embedded',
    include: [...SLOW_ENGINE, ...NEWCOMER],
    exclude: PATIENT_EMBEDDED,
    on: 'embedded',
  },
  {
    name: 'patient-embedded',
    include: PATIENT_EMBEDDED,
    on: 'embedded',
    ...WAITING,
  },
  {
    name: 'slow-embedded-more',
    include: SLOW,
    exclude: [...notSlow, ...OF_POSTGRES, ...SLOW_ENGINE, ...NEWCOMER],
    on: 'embedded',
  },
  {
    name: 'slow-postgres',
    include: SLOW,
    exclude: [...notSlow, ...OF_POSTGRES, ...NEWCOMER, ...PATIENT, 'test/fault/embedded*.test.ts'],
    on: 'postgres',
    missing: postgres,
  },
  {
    name: 'patient',
    include: PATIENT,
    on: 'postgres',
    missing: postgres,
    ...WAITING,
  },
  {
    name: 'only-postgres',
    include: OF_POSTGRES,
    exclude: ['test/fault/postgres-{bus*,pooler}.test.ts'],
    on: 'postgres',
    missing: postgres,
    ...WAITING,
  },
  {
    name: 'pooler',
    include: ['test/fault/postgres-pooler.test.ts'],
    on: 'postgres',
    missing: postgres || local(hasPgbouncer, 'pgbouncer'),
    ...WAITING,
  },
  {
    name: 'broker',
    include: [...BROKER, 'test/fault/postgres-bus*.test.ts'],
    on: 'postgres',
    missing: postgres || rabbitmq || local(hasRabbitmq, 'rabbitmq-server'),
    ...WAITING,
  },
  {
    name: 'processes',
    include: PROCESSES,
    on: 'postgres',
    missing: postgres || rabbitmq,
    ...WAITING,
  },
  {
    name: 'program',
    include: PROGRAM,
    on: databaseUrl ? 'postgres' : 'embedded',
    missing: local(
      keptProgram() !== undefined,
      'a program of agents (npm registry: node test/support/runs/clients/kept.ts)',
    ),
    ...WAITING,
  },
  {
    name: 'peers',
    include: PEERS,
    missing: local(hasPeers, 'libcoap3-bin and gnutls-bin'),
    ...WAITING,
  },
  {
    name: 'mosquitto',
    include: MOSQUITTO,
    missing: local(hasMosquitto, 'mosquitto and mosquitto-clients'),
    ...WAITING,
  },
  {
    name: 'mosquitto-platform',
    include: MOSQUITTO_PLATFORM,
    on: 'embedded',
    missing: local(hasMosquitto, 'mosquitto and mosquitto-clients'),
  },
  {
    name: 'monitoring',
    include: ['test/conformance/promtool/*.test.ts'],
    missing: local(hasPromtool, 'promtool (Debian: prometheus)'),
  },
  {
    name: 'browser',
    include: BROWSER,
    isolate: false,
    on: databaseUrl ? 'postgres' : 'embedded',
    missing: local(chromiumPath !== undefined, 'Chromium (Debian: chromium-headless-shell)'),
  },
  { name: 'slow', include: ['test/{recipe,start}/**/*.test.ts'] },
];

const filesOf = ({ include, exclude = [] }: Suite): string[] => {
  const left = new Set(exclude.flatMap((pattern) => globSync(pattern)));
  return include.flatMap((pattern) => globSync(pattern)).filter((file) => !left.has(file));
};

/** The suites of `npm test`. */
const OF_EVERY_CHANGE = ['unit', 'device', 'embedded'];
/** What PostgreSQL runs. */
const INSTEAD = ['embedded-more', 'slow-embedded-more'];

/**
 * The suites of a run: those of every change, all of them, or those that have files named by `filters` (parts of
 * paths).
 */
export function chosen(which: 'change' | 'all', filters: readonly string[]): Suite[] {
  if (filters.length > 0)
    return suites.filter(
      (suite) =>
        !suite.missing &&
        filesOf(suite).some((file) => filters.some((filter) => file.includes(filter))),
    );
  if (which === 'change') return suites.filter(({ name }) => OF_EVERY_CHANGE.includes(name));
  return suites.filter(({ name, missing }) => !missing && !(databaseUrl && INSTEAD.includes(name)));
}

/** What a whole run leaves out on this machine, a line each. */
export const notRun = (): string[] =>
  suites.flatMap((suite) =>
    suite.missing
      ? [`not run: ${filesOf(suite).length} files of "${suite.name}", which need ${suite.missing}`]
      : [],
  );
