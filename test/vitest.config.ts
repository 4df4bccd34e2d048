import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { availableParallelism } from 'node:os';

import { defineConfig } from 'vitest/config';

import { progress } from './progress.ts';
import { hasPgbouncer } from './support/neighbours/pgbouncer.ts';
import { hasRabbitmq } from './support/neighbours/rabbitmq-node.ts';
import { memoryFolder } from './support/world/memory-folder.ts';

/** What needs no database. */
const units = [
  'test/{unit,contract}/**/*.test.ts',
  'test/conformance/{coap,lwm2m}/*.test.ts',
  'test/*.test.ts',
];
/** The platform in one process, on every engine that is there. */
const quick = ['test/{api,tools,conformance}/**/*.test.ts'];
/** What starts whole processes, breaks things or has to wait, likewise; `npm test` leaves it out. */
const slow = ['test/{e2e,fault}/**/*.test.ts'];
/** The same with no database of an engine: recipes on copies of the tree, and settings at a start. */
const slowOnce = ['test/{recipe,start}/**/*.test.ts'];
/** Against Debian's libcoap, OpenSSL and GnuTLS: `.ci/run` installs them and fails where one is missing. */
const peers = ['test/conformance/coap/*-libcoap.test.ts'];
/** About the broker itself; some kill a broker of their own, with Debian's rabbitmq-server. */
const brokers = ['test/fault/bus-rabbitmq*.test.ts'];
const brokerNodes = ['test/fault/bus-rabbitmq-node*.test.ts'];
const platformBrokers = ['test/fault/postgres-bus-quorum.test.ts'];
/** Behind Debian's PgBouncer: `.ci/run` installs it and fails where it is missing. */
const poolers = ['test/fault/postgres-pooler.test.ts'];
/** The platform as many processes: needs PostgreSQL and RabbitMQ. */
const processes = ['test/e2e/processes*.test.ts'];
/** Driven by Chromium. */
const browsers = ['test/e2e/**/*-browser.test.ts'];
/** Those of the console, which run on every engine. */
const screens = ['test/e2e/console-*browser.test.ts'];
const hasBrowser = existsSync('/usr/bin/chromium');

/** Where `.ci/run` wants the counts. */
const report = process.env['SVC_TEST_REPORT'];
const databaseUrl = process.env['DATABASE_URL'];
/** Set: the platform on PostgreSQL runs with RabbitMQ, and the bus is tested on it too. */
const amqpUrl = process.env['AMQP_URL'];
const hasPeers = ['coap-client-notls', 'gnutls-cli'].every(
  (program) => spawnSync(program, ['-v']).error === undefined,
);

const folder = memoryFolder();
const inMemory = folder ? { TMPDIR: folder } : undefined;
const server = {
  ...inMemory,
  ...(databaseUrl && { SVC_TEST_DATABASE: databaseUrl }),
  ...(amqpUrl && { SVC_TEST_AMQP: amqpUrl }),
};

type Suites = {
  include: string[];
  exclude?: string[];
  env?: Record<string, string>;
  /** False: the files of a worker share its modules, and with them the compiled engine. */
  isolate?: boolean;
  globalSetup?: string;
};
const project = (name: string, suites: Suites) => ({
  test: { name, ...suites, testTimeout: 60_000, hookTimeout: 120_000 },
});
const withTemplate = (name: string, suites: Suites) =>
  project(name, { env: { ...inMemory }, ...suites, globalSetup: 'test/support/world/template.ts' });

const elsewhere = [
  ...peers,
  ...browsers,
  ...brokers,
  ...processes,
  'test/conformance/{coap,lwm2m}/*',
];
const notEmbedded = [...elsewhere, 'test/fault/postgres*.test.ts'];
const notPostgres = [
  ...elsewhere,
  'test/fault/embedded*.test.ts',
  ...(hasPgbouncer ? [] : poolers),
  ...(hasRabbitmq ? [] : platformBrokers),
  ...(amqpUrl ? [] : ['test/fault/postgres-bus*.test.ts']),
];

export default defineConfig({
  test: {
    // One more than there are cores: suites that wait for a timer or a socket leave theirs to others.
    maxWorkers: availableParallelism() + 1,
    reporters: [
      ...(process.stdout.isTTY ? ['default'] : ['minimal', progress()]),
      ...(report ? ['json'] : []),
    ],
    ...(report && { outputFile: report }),
    projects: [
      project('unit', { include: units, exclude: peers, isolate: false }),
      withTemplate('embedded', { include: quick, exclude: elsewhere, isolate: false }),
      withTemplate('slow-embedded', { include: slow, exclude: notEmbedded }),
      ...(databaseUrl
        ? [
            withTemplate('postgres', {
              include: quick,
              exclude: elsewhere,
              env: server,
              isolate: false,
            }),
            withTemplate('slow-postgres', { include: slow, exclude: notPostgres, env: server }),
          ]
        : []),
      ...(amqpUrl
        ? [project('rabbitmq', { include: brokers, exclude: hasRabbitmq ? [] : brokerNodes })]
        : []),
      ...(databaseUrl && amqpUrl
        ? [withTemplate('processes', { include: processes, env: server })]
        : []),
      ...(hasPeers ? [project('peers', { include: peers })] : []),
      ...(hasBrowser ? [withTemplate('browser', { include: browsers })] : []),
      ...(hasBrowser && databaseUrl
        ? [withTemplate('browser-postgres', { include: screens, env: server })]
        : []),
      project('slow', { include: slowOnce }),
    ],
  },
});
