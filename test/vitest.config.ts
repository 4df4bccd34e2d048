import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';

import { defineConfig } from 'vitest/config';

import { hasRabbitmq } from './support/rabbitmq-node.ts';

/** Suites that need the whole platform: run on every engine that is there. */
const platform = ['test/{api,tools,e2e,fault,conformance}/**/*.test.ts'];
const peers = ['test/conformance/**/*-libcoap.test.ts'];
/** Suites about the broker itself. */
const brokers = ['test/fault/bus-rabbitmq*.test.ts'];
/** Suites that kill a broker of their own, with Debian's rabbitmq-server. */
const brokerNodes = ['test/fault/bus-rabbitmq-node*.test.ts'];
/** The platform as many processes: needs PostgreSQL and RabbitMQ. */
const processes = ['test/e2e/processes*.test.ts'];
/** Suites that drive Chromium. */
const browsers = ['test/e2e/**/*-browser.test.ts'];
const limits = { testTimeout: 60_000, hookTimeout: 120_000 };

const onEngine = (name: string, env: Record<string, string>, exclude: string[] = []) => ({
  test: {
    name,
    include: platform,
    exclude: [...peers, ...browsers, ...brokers, ...processes, ...exclude],
    env,
    globalSetup: ['test/support/template.ts'],
    ...limits,
  },
});

/** Where `.ci/run` wants the counts. */
const report = process.env['SVC_TEST_REPORT'];
const databaseUrl = process.env['DATABASE_URL'];
/** Set: the platform on PostgreSQL runs with RabbitMQ, and the bus is tested on it too. */
const amqpUrl = process.env['AMQP_URL'];
const hasCoapClient = spawnSync('coap-client-notls', ['-h']).error === undefined;

export default defineConfig({
  test: {
    maxWorkers: 2,
    reporters: report ? ['default', ['json', { outputFile: report }]] : ['default'],
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/{unit,contract}/**/*.test.ts', 'test/*.test.ts'],
          ...limits,
        },
      },
      onEngine('embedded', {}, ['test/fault/postgres*.test.ts']),
      // Each recipe of docs/recipes.md on a copy of the tree takes about a minute.
      ...(process.env['CI']
        ? [{ test: { name: 'recipes', include: ['test/recipe/**/*.test.ts'], ...limits } }]
        : []),
      ...(databaseUrl
        ? [
            onEngine(
              'postgres',
              { SVC_TEST_DATABASE: databaseUrl, ...(amqpUrl ? { SVC_TEST_AMQP: amqpUrl } : {}) },
              [
                'test/fault/embedded*.test.ts',
                ...(amqpUrl ? [] : ['test/fault/postgres-bus*.test.ts']),
              ],
            ),
          ]
        : []),
      // Debian peers: `.ci/run` installs them and fails where they are missing.
      ...(hasCoapClient ? [{ test: { name: 'peers', include: peers, ...limits } }] : []),
      ...(amqpUrl
        ? [
            {
              test: {
                name: 'rabbitmq',
                include: brokers,
                exclude: hasRabbitmq ? [] : brokerNodes,
                ...limits,
              },
            },
          ]
        : []),
      ...(databaseUrl && amqpUrl
        ? [
            {
              test: {
                name: 'processes',
                include: processes,
                env: { SVC_TEST_DATABASE: databaseUrl, SVC_TEST_AMQP: amqpUrl },
                globalSetup: ['test/support/template.ts'],
                ...limits,
              },
            },
          ]
        : []),
      ...(existsSync('/usr/bin/chromium')
        ? [
            {
              test: {
                name: 'browser',
                include: browsers,
                env: {},
                globalSetup: ['test/support/template.ts'],
                ...limits,
              },
            },
          ]
        : []),
    ],
  },
});
